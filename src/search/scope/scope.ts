import { type RawBuilder, sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import { QueryError } from '#search/query/errors.ts';
import { type Filter, valuesOf } from '#search/query/filters.ts';
import type { Reader } from '#search/read.ts';
import { maxRepositories } from '#search/result.ts';

/** The repositories that a search covers. `isPartial`: there are more than a search covers. */
type Scope = {
  ids: Id<'repositories'>[];
  isPartial: boolean;
  /** The repositories for which a condition of `marks` holds. */
  marked(name: string): Id<'repositories'>[];
};

type ScopeOptions = {
  visible: RawBuilder<unknown>;
  viewerId?: Id<'accounts'> | undefined;
  filters: readonly Filter[];
  /** Whether forks are searched without a `fork:` qualifier. */
  forks: boolean;
  /** Qualifiers inside alternatives. They are checked for access, but don't restrict the scope. */
  nested?: readonly Filter[];
  /** A further condition on the repository `r`. */
  only?: RawBuilder<unknown>;
  /** Conditions on the repository `r` by name. For each, the scope has the matching repositories. */
  marks?: Readonly<Record<string, RawBuilder<boolean>>>;
};

type Names = { repositories: { owner: string; name: string }[]; accounts: string[] };

const scopeNames = ['repo', 'user', 'org'];

/** Whether a qualifier names repositories. */
export const isNaming = ({ name }: { name: string }): boolean => scopeNames.includes(name);

/** The values of `repo:`, `user:` and `org:`, either the included or the excluded (`negated`) ones. */
function namesOf(filters: readonly Filter[], negated: boolean): Names {
  return {
    repositories: valuesOf(filters, { name: 'repo', type: 'repository', negated }),
    accounts: ['user', 'org'].flatMap((name) => valuesOf(filters, { name, type: 'login', negated }).map(({ login }) => login)),
  };
}

/** Whether the scope handles a qualifier. */
export const isScopeFilter = ({ name }: Filter): boolean => [...scopeNames, 'is', 'fork', 'archived'].includes(name);

/**
 * The repositories to search: visible to the caller, among the named ones if there are any, and of the requested kind. At most
 * 4,000, with the latest push first. Document 1, rule 6: a search is refused if it only names repositories that the caller can't
 * access, whether it includes or excludes them. Missing and hidden repositories result in the same error after the same
 * statement, so that the response time doesn't tell them apart.
 */
export async function resolveScope(db: Reader, options: ScopeOptions): Promise<Scope> {
  const named = namesOf(options.filters, false);
  const nested = otherNamesOf(options);
  const mayMiss = isAny(named) || isAny(nested);
  const { rows } = await statementOf(options, named, nested).execute(db);
  if (mayMiss && !rows[0]?.accessible) throw inaccessible();
  const ids = rows.flatMap(({ id }) => (id === null ? [] : [id]));
  return {
    ids: ids.slice(0, maxRepositories),
    isPartial: ids.length > maxRepositories,
    marked: (name) => rows.flatMap(({ id, marks }) => (id !== null && marks?.includes(name) ? [id] : [])),
  };
}

type ScopeRow = {
  /** Null in a single row, if there are no repositories. */
  id: Id<'repositories'> | null;
  /** Whether any named repository or account is accessible. */
  accessible: boolean;
  /** The names of the marks that hold; missing if none were requested. */
  marks?: string[] | null;
};

/** Parts of the statement that a search doesn't need are omitted, since PostgreSQL takes longer to plan them than to run them. */
function statementOf(options: ScopeOptions, named: Names, nested: Names): RawBuilder<ScopeRow> {
  const { visible, viewerId, only, marks } = options;
  const byAccount = named.accounts.length > 0;
  const tables: RawBuilder<unknown>[] = [];
  const accessible: RawBuilder<unknown>[] = [];
  const addTable = (name: string, rows: RawBuilder<unknown>): void =>
    void tables.push(sql`${sql.raw(name)} (id) as materialized (${rows})`);
  const visibleAmong = (repositories: Names['repositories']): RawBuilder<unknown> => sql`
    select r.id from repositories r join accounts o on o.id = r.owner_id where ${isOneOf(repositories)} and r.id in ${visible}`;
  if (isAny(named)) {
    addTable('named', visibleAmong(named.repositories));
    accessible.push(sql`exists (select from named)`);
  }
  if (byAccount) {
    addTable('owners', sql`select a.id from accounts a where ${ownedBy(sql`a`, named.accounts, viewerId)}`);
    accessible.push(sql`exists (select from owners)`);
    addTable(
      'wanted',
      sql`select r.id from repositories r where r.owner_id in (select id from owners) union select id from named`,
    );
  }
  if (isAny(nested)) {
    const accounts = sql`select a.id from accounts a where ${ownedBy(sql`a`, nested.accounts, viewerId)}`;
    addTable('nested', sql`${visibleAmong(nested.repositories)} union all ${accounts}`);
    accessible.push(sql`exists (select from nested)`);
  }
  const searched = byAccount
    ? sql`wanted join repositories r on r.id = wanted.id`
    : sql`named join repositories r on r.id = named.id`;
  const conditions = [
    ...(isAny(named) && !byAccount ? [] : [sql`r.id in ${visible}`]),
    kindConditions(options, named),
    sql`not ${isExcluded(options)}`,
    ...(only ? [only] : []),
  ];
  return sql<ScopeRow>`
    ${tables.length > 0 ? sql`with ${sql.join(tables)}` : sql``}
    select found.*, ${accessible.length > 0 ? sql.join(accessible, sql` or `) : sql`true`} as accessible
    from (select) as always left join lateral (
      select r.id${marks ? sql`, ${marksOf(marks)} as marks` : sql``} from ${isAny(named) ? searched : sql`repositories r`}
      join accounts o on o.id = r.owner_id
      where ${sql.join(conditions, sql` and `)}
      order by r.pushed_at desc nulls last, r.id desc limit ${sql.lit(maxRepositories + 1)}
    ) as found on true`;
}

/** The names of the marks that hold for the repository `r`. */
const marksOf = (marks: Readonly<Record<string, RawBuilder<boolean>>>): RawBuilder<unknown> =>
  sql`array_remove(array[${sql.join(
    Object.entries(marks).map(([name, condition]) => sql`case when ${condition} then ${name} end`),
  )}]::text[], null)`;

/** The same repositories as a condition on `r` and their owners `o`, without the limit, for the repository search. */
export function inScope(options: ScopeOptions): RawBuilder<unknown> {
  const named = namesOf(options.filters, false);
  const wanted = isAny(named)
    ? sql`(${ownedBy(sql`o`, named.accounts, options.viewerId)} or ${isOneOf(named.repositories)})`
    : sql`true`;
  return sql`(${wanted} and ${kindConditions(options, named)} and not ${isExcluded(options)})`;
}

/**
 * The check of document 1, rule 6, for a search that doesn't resolve its scope. If there are hits, the included names are
 * accessible, and only the other names are checked.
 */
export async function requireAccessible(db: Reader, options: ScopeOptions, { hasHits }: { hasHits: boolean }): Promise<void> {
  const included = namesOf(options.filters, false);
  if (isAny(otherNamesOf(options)) || (!hasHits && isAny(included))) await resolveScope(db, options);
}

/** The names that don't restrict the scope: excluded names, and names inside alternatives. */
function otherNamesOf({ filters, nested = [] }: ScopeOptions): Names {
  const all = [namesOf(filters, true), namesOf(nested, false), namesOf(nested, true)];
  return { repositories: all.flatMap((names) => names.repositories), accounts: all.flatMap((names) => names.accounts) };
}

const isAny = ({ repositories, accounts }: Names): boolean => repositories.length + accounts.length > 0;

const inaccessible = (): QueryError =>
  new QueryError(
    'inaccessible',
    'The listed users, organizations or repositories cannot be searched: they do not exist, or you do not have ' +
      'permission to view them.',
  );

/** Whether an account has one of these logins. `@me` is the viewer's login. */
export function ownedBy(
  table: RawBuilder<unknown>,
  logins: readonly string[],
  viewerId: number | undefined,
): RawBuilder<unknown> {
  if (logins.length === 0) return sql`false`;
  const names = logins.filter((login) => login !== '@me').map((login) => login.toLowerCase());
  const mine = names.length < logins.length && viewerId !== undefined ? sql`${table}.id = ${viewerId}` : sql`false`;
  return sql`(lower(${table}.login) = any(${names}::text[]) or ${mine})`;
}

function isOneOf(repositories: Names['repositories']): RawBuilder<unknown> {
  if (repositories.length === 0) return sql`false`;
  const owners = repositories.map(({ owner }) => owner.toLowerCase());
  const names = repositories.map(({ name }) => name.toLowerCase());
  return sql`(lower(o.login), lower(r.name)) in (select * from unnest(${owners}::text[], ${names}::text[]))`;
}

function isExcluded({ filters, viewerId }: ScopeOptions): RawBuilder<unknown> {
  const not = namesOf(filters, true);
  return sql`(${ownedBy(sql`o`, not.accounts, viewerId)} or ${isOneOf(not.repositories)})`;
}

/** The conditions of `is:`, `archived:` and `fork:`. A fork that the query names is always included. */
function kindConditions({ filters, forks }: ScopeOptions, named: Names): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [];
  const addCondition = (negated: boolean, condition: RawBuilder<unknown>) =>
    conditions.push(negated ? sql`not (${condition})` : condition);
  let hasForkFilter = false;
  for (const { name, value, negated } of filters) {
    if (name === 'archived' && value.type === 'flag') addCondition(negated, sql`r.archived = ${value.on}`);
    if (value.type !== 'choice') continue;
    if (name === 'is' && value.choice === 'public') addCondition(negated, sql`r.visibility = 'public'`);
    if (name === 'is' && value.choice === 'private') addCondition(negated, sql`r.visibility <> 'public'`);
    if (name === 'is' && value.choice === 'internal') addCondition(negated, sql`r.visibility = 'internal'`);
    if (name === 'is' && value.choice === 'sponsorable') addCondition(negated, sql`false`);
    if (name !== 'fork') continue;
    hasForkFilter = true;
    if (value.choice !== 'true')
      addCondition(negated, sql`(r.source_id is not null or r.parent_id is not null) = ${value.choice === 'only'}`);
  }
  if (!forks && !hasForkFilter) {
    conditions.push(sql`((r.source_id is null and r.parent_id is null) or ${isOneOf(named.repositories)})`);
  }
  return conditions.length > 0 ? sql`(${sql.join(conditions, sql` and `)})` : sql`true`;
}
