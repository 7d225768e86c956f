import { type Insertable, type RawBuilder, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import { isAffiliated, reachedBy, readableBy, readersOf } from '#access/sql.ts';
import type { RepositoryRow, Viewer } from '#access/viewer.ts';
import { type Db, sendUnawaited, type Tx } from '#database/connect.ts';
import { list, listSince } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page, Uncounted } from '#lib/page.ts';
import { propertyValues, type ValuesByName } from '#resources/repositories/custom-properties/index.ts';
import type { RuleApproval } from './ruled-change.ts';

export type Sort = 'created' | 'updated' | 'pushed' | 'full_name';
export type Order = { sort: Sort; direction: 'asc' | 'desc' };

type Query = SelectQueryBuilder<DB & { r: DB['repositories'] }, 'r', RepositoryRow>;

const readable = (db: Db, viewer: Viewer): Query =>
  db.selectFrom('repositories as r').selectAll('r').where(readableBy(viewer)) as Query;

const columns = { created: 'r.created_at', updated: 'r.updated_at', pushed: 'r.pushed_at' } as const;

/** It also orders by id, so that equal rows have the same order on every page. */
function ordered(query: Query, { sort, direction }: Order): Query {
  if (sort === 'full_name') return query.orderBy(sql`lower(r.name)`, direction).orderBy('r.id', direction);
  return query
    .orderBy(columns[sort], (order) => (direction === 'asc' ? order.asc().nullsFirst() : order.desc().nullsLast()))
    .orderBy('r.id', direction);
}

type Kind = 'all' | 'public' | 'private' | 'forks' | 'sources' | 'member' | 'internal' | 'owner';

function ofKind(query: Query, kind: Kind): Query {
  switch (kind) {
    case 'public':
    case 'private':
    case 'internal':
      return query.where('r.visibility', '=', kind);
    case 'forks':
      return query.where('r.source_id', 'is not', null);
    case 'sources':
      return query.where('r.source_id', 'is', null);
    case 'all':
    case 'owner':
    case 'member':
      return query;
  }
}

type OwnerList = { owner: Id<'accounts'>; kind: Kind; order: Order; page: Page };

/** The repositories of an account that the viewer may see. */
export const listOwned = (db: Db, viewer: Viewer, { owner, kind, order, page }: OwnerList): Promise<Listed<RepositoryRow>> =>
  list(db, ordered(ofKind(readable(db, viewer).where('r.owner_id', '=', owner), kind), order), page);

/** The repositories of other owners in which an account is a collaborator and that the viewer may see. */
export const listContributed = (
  db: Db,
  viewer: Viewer,
  { owner, kind, order, page }: OwnerList,
): Promise<Listed<RepositoryRow>> => {
  const query = readable(db, viewer)
    .where('r.owner_id', '<>', owner)
    .where(sql<boolean>`r.id in (select c.repository_id from collaborators c where c.user_id = ${owner})`);
  return list(db, ordered(ofKind(query, kind), order), page);
};

export type Affiliation = 'owner' | 'collaborator' | 'organization_member';
type OwnList = {
  affiliations: readonly Affiliation[];
  visibility: 'all' | 'public' | 'private';
  since: Date | undefined;
  before: Date | undefined;
  order: Order;
  page: Page;
};

/** The repositories in which the viewer has a role, by the source of the role. */
export function listAffiliated(
  db: Db,
  viewer: Viewer & { account: { id: Id<'accounts'> } },
  { affiliations, visibility, since, before, order, page }: OwnList,
): Promise<Listed<RepositoryRow>> {
  const me = viewer.account.id;
  const conditions = {
    owner: sql<boolean>`r.owner_id = ${me}`,
    collaborator: sql<boolean>`r.id in (select c.repository_id from collaborators c where c.user_id = ${me})`,
    organization_member: sql<boolean>`r.owner_id in (select m.organization_id from memberships m where m.user_id = ${me})`,
  };
  let query = db
    .selectFrom('repositories as r')
    .selectAll('r')
    .where(isAffiliated(me))
    .where(sql<boolean>`(r.visibility = 'public' or ${reachedBy(viewer.grant)})`)
    .where((eb) => eb.or(affiliations.map((affiliation) => conditions[affiliation]))) as Query;
  if (visibility !== 'all') query = query.where('r.visibility', visibility === 'public' ? '=' : '<>', 'public');
  if (since) query = query.where('r.updated_at', '>', since);
  if (before) query = query.where('r.updated_at', '<', before);
  return list(db, ordered(query, order), page);
}

/** All public repositories, oldest first. */
export const listPublic = (db: Db, page: Page): Promise<Uncounted<RepositoryRow>> =>
  listSince(db.selectFrom('repositories').selectAll().where('visibility', '=', sql.lit('public')), 'id', page);

export const listForks = (
  db: Db,
  viewer: Viewer,
  parent: Id<'repositories'>,
  order: Order | 'stargazers',
  page: Page,
): Promise<Listed<RepositoryRow>> => {
  const query = readable(db, viewer).where('r.parent_id', '=', parent);
  return list(
    db,
    order === 'stargazers' ? query.orderBy('r.stargazers_count', 'desc').orderBy('r.id') : ordered(query, order),
    page,
  );
};

/** The private forks of a repository, in which vulnerabilities are fixed. */
export const listPrivateForks = (db: Db, repository: Id<'repositories'>): Promise<RepositoryRow[]> =>
  db
    .selectFrom('repositories as r')
    .innerJoin('repository_advisories as a', 'a.fork_id', 'r.id')
    .selectAll('r')
    .where('a.repository_id', '=', repository)
    .execute();

/**
 * A private fork of an account's private repository whose owner no longer has a role in that repository or in the fork's parent.
 * Its row is locked.
 */
export async function findLostForkForUpdate(tx: Tx, sourceOwner: Id<'accounts'>): Promise<RepositoryRow | undefined> {
  const hasRoleIn = (repository: RawBuilder<unknown>) => sql`exists (select from repository_roles role
    where role.repository_id = ${repository} and role.account_id = f.owner_id and role.level >= 1)`;
  const { rows } = await sql<RepositoryRow>`select f.* from repositories f
    join repositories s on s.id = f.source_id join accounts o on o.id = f.owner_id
    where s.owner_id = ${sourceOwner} and f.forked_from_private and o.kind = 'user'
      and s.visibility = 'private' and f.visibility = 'private'
      and not ${hasRoleIn(sql`s.id`)} and not ${hasRoleIn(sql`f.parent_id`)}
    order by f.id limit 1 for update of f`.execute(tx);
  return rows[0];
}

/** The given repositories that the viewer may read. */
export const loadRepositories = async (
  db: Db,
  viewer: Viewer,
  ids: Iterable<Id<'repositories'> | null>,
): Promise<RepositoryRow[]> => {
  const wanted = unique(ids);
  return wanted.length === 0 ? [] : readable(db, viewer).where('r.id', 'in', wanted).execute();
};

type RepositoryDetails = { network: number; subscribers: number; properties: ValuesByName };

/**
 * The data that a complete repository shows in addition to its row: the number of direct and indirect forks of its source (the
 * public API's `network_count`), which count as in `countForks`; the accounts that watch it and may still read it; and its custom
 * properties.
 */
export async function findDetails(db: Db, repo: RepositoryRow): Promise<RepositoryDetails> {
  const { id, source_id, visibility } = repo;
  const { rows } = await sql<RepositoryDetails>`
    select
      (select count(*) from repositories
        where source_id = ${source_id ?? id} and (visibility = 'public' or ${visibility} <> 'public')) as network,
      (select count(*) from repository_subscriptions s
        where s.repository_id = ${id} and not s.ignored and ${readersOf(repo, sql`s.account_id`)}) as subscribers,
      (select ${propertyValues} from repositories r where r.id = ${id}) as properties`.execute(db);
  return rows[0] ?? { network: 0, subscribers: 0, properties: {} };
}

export const findOwned = (db: Db, owner: Id<'accounts'>, name: string): Promise<RepositoryRow | undefined> =>
  db
    .selectFrom('repositories')
    .selectAll()
    .where('owner_id', '=', owner)
    .where(sql<boolean>`lower(name) = lower(${name})`)
    .executeTakeFirst();

/** The repositories of an account with these names. */
export const findOwnedByNames = (
  db: Db,
  owner: Id<'accounts'>,
  names: readonly string[],
): Promise<Pick<RepositoryRow, 'id' | 'name'>[]> =>
  db
    .selectFrom('repositories')
    .select(['id', 'name'])
    .where('owner_id', '=', owner)
    .where(sql<boolean>`lower(name) = any (${names.map((name) => name.toLowerCase())}::text[])`)
    .where('is_private_fork', '=', false)
    .execute();

export const findForkOf = (db: Db, owner: Id<'accounts'>, source: Id<'repositories'>): Promise<RepositoryRow | undefined> =>
  db.selectFrom('repositories').selectAll().where('owner_id', '=', owner).where('source_id', '=', source).executeTakeFirst();

/** The id of the repository in the network of a source that an account owns. The source itself belongs to its network. */
export async function findInNetwork(db: Db, source: Id<'repositories'>, login: string): Promise<Id<'repositories'> | undefined> {
  const found = await db
    .selectFrom('repositories as r')
    .innerJoin('accounts as o', 'o.id', 'r.owner_id')
    .select('r.id')
    .where(sql<boolean>`lower(o.login) = lower(${login})`)
    .where((eb) => eb.or([eb('r.source_id', '=', source), eb('r.id', '=', source)]))
    .orderBy('r.id')
    .executeTakeFirst();
  return found?.id;
}

/** Inserts a repository; undefined if its owner already has one with that name. */
export const insertRepository = (
  tx: Tx,
  row: Insertable<DB['repositories']>,
  _approval: RuleApproval,
): Promise<RepositoryRow | undefined> =>
  tx
    .insertInto('repositories')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

/** Changes columns that rules of organizations may be about. */
export const updateRuledRepository = (
  tx: Tx,
  id: Id<'repositories'>,
  change: Updateable<DB['repositories']>,
  _approval: RuleApproval,
): Promise<RepositoryRow> =>
  tx.updateTable('repositories').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

export const updateRepository = (
  tx: Tx,
  id: Id<'repositories'>,
  change: Omit<Updateable<DB['repositories']>, 'owner_id' | 'name' | 'visibility'>,
): Promise<RepositoryRow> =>
  tx.updateTable('repositories').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

export const findRepository = (db: Db, id: Id<'repositories'>): Promise<RepositoryRow | undefined> =>
  db.selectFrom('repositories').selectAll().where('id', '=', id).executeTakeFirst();

/** Reads the repository and locks its row until the transaction ends; undefined if it was deleted. */
export const lockRepository = (tx: Tx, id: Id<'repositories'>): Promise<RepositoryRow | undefined> =>
  tx.selectFrom('repositories').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

/** The security switches of a repository that a configuration of its organization enforces. */
export async function loadEnforcedSwitches(tx: Tx, repository: Id<'repositories'>): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select jsonb_object_keys(c.switches) as name
    from security_configuration_repositories r join security_configurations c on c.id = r.configuration_id
    where r.repository_id = ${repository} and c.enforcement = 'enforced' and r.status in ('enforced', 'updating')`.execute(tx);
  return new Set(rows.map(({ name }) => name));
}

/**
 * Locks the account that owns repositories until the transaction ends, so that concurrent requests don't create something twice
 * that may exist only once.
 */
export const lockOwner = (tx: Tx, id: Id<'accounts'>) =>
  tx.selectFrom('accounts').select('id').where('id', '=', id).forNoKeyUpdate().execute();

/**
 * An update that returns the `number` for an issue that the same statement opens, and counts the issue as open. The repository's
 * row stays locked until the transaction ends, so numbers have no gaps.
 */
export const takingIssueNumber = (repository: Id<'repositories'>): RawBuilder<{ number: number }> => sql`
  update repositories set next_issue_number = next_issue_number + 1, open_issues_count = open_issues_count + 1
  where id = ${repository} returning next_issue_number - 1 as number`;

/** Counts imported issues, which already have numbers. New issues get higher numbers than `highest`. */
export const addImportedIssues = (tx: Tx, repository: Id<'repositories'>, { open, highest }: { open: number; highest: number }) =>
  tx
    .updateTable('repositories')
    .set({
      open_issues_count: sql<number>`open_issues_count + ${open}`,
      next_issue_number: sql<number>`greatest(next_issue_number, ${highest + 1})`,
    })
    .where('id', '=', repository)
    .execute();

/** Changes the repository's count of open issues. */
export function addOpenIssues(tx: Tx, repository: Id<'repositories'>, by: number): void {
  const update = tx
    .updateTable('repositories')
    .set((eb) => ({ open_issues_count: eb('open_issues_count', '+', by) }))
    .where('id', '=', repository);
  sendUnawaited(tx, update);
}

/** Changes the star counts of repositories. */
export async function addStars(tx: Tx, changes: readonly { repository: Id<'repositories'>; by: number }[]): Promise<void> {
  if (changes.length === 0) return;
  await sql`
    update repositories r set stargazers_count = r.stargazers_count + c.by
    from unnest(${changes.map(({ repository }) => repository)}::bigint[], ${changes.map(({ by }) => by)}::int[]) as c (id, by)
    where r.id = c.id`.execute(tx);
}

/** Stores the size of a repository on disk. If it was deleted in the meantime, nothing happens. */
export const setSize = (tx: Tx, id: Id<'repositories'>, kibibytes: number) =>
  tx.updateTable('repositories').set({ size_kb: kibibytes }).where('id', '=', id).execute();

export const removeRepository = (tx: Tx, id: Id<'repositories'>, _approval: RuleApproval) =>
  tx.deleteFrom('repositories').where('id', '=', id).execute();

/** Makes all repositories of an owner private. */
export const concealRepositories = (tx: Tx, owner: Id<'accounts'>, _approval: RuleApproval) =>
  tx
    .updateTable('repositories')
    .set({ visibility: 'private' })
    .where('owner_id', '=', owner)
    .where('visibility', '<>', 'private')
    .execute();

export const hasRepositories = async (db: Db, owner: Id<'accounts'>): Promise<boolean> =>
  (await db.selectFrom('repositories').select('id').where('owner_id', '=', owner).limit(1).executeTakeFirst()) !== undefined;

/** One repository of an owner, with its row locked; undefined if there are none, or another transaction has just removed it. */
export const findAnyOwnedForUpdate = (tx: Tx, owner: Id<'accounts'>): Promise<RepositoryRow | undefined> =>
  tx.selectFrom('repositories').selectAll().where('owner_id', '=', owner).orderBy('id').limit(1).forUpdate().executeTakeFirst();

/**
 * Recounts a repository's forks. Only public forks of a public repository count, so that the number doesn't disclose the others.
 */
export const countForks = (tx: Tx, id: Id<'repositories'>) =>
  sql`
  update repositories r set forks_count = (
    select count(*) from repositories f where f.parent_id = r.id and (f.visibility = 'public' or r.visibility <> 'public'))
  where r.id = ${id}`.execute(tx);

/** Redirects a former name to a repository. */
export const putRedirect = (tx: Tx, owner: string, name: string, repository: Id<'repositories'>, now: Date) =>
  tx
    .insertInto('repository_redirects')
    .values({ owner_login: owner.toLowerCase(), name: name.toLowerCase(), repository_id: repository, created_at: now })
    .onConflict((conflict) =>
      conflict.columns(['owner_login', 'name']).doUpdateSet({ repository_id: repository, created_at: now }),
    )
    .execute();

/** Removes the redirect of a name that another repository takes. */
export const removeRedirect = (tx: Tx, owner: string, name: string) =>
  tx
    .deleteFrom('repository_redirects')
    .where('owner_login', '=', owner.toLowerCase())
    .where('name', '=', name.toLowerCase())
    .execute();
