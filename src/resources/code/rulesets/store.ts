import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { readableRepositoryIds, teamsOf } from '#access/sql.ts';
import type { Viewer } from '#access/viewer.ts';
import { type Db, type OrSql, sendUnawaited, type Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { stepsOfWork } from '#lib/pattern-steps.ts';
import { propertyLists } from '#resources/repositories/custom-properties/index.ts';
import type { RuledRepository } from './applied-rule.ts';
import { matchesRepository, type RepositoryFacts } from './conditions.ts';
import type { RefRule, RepositoryRule, Rule } from './rule-types.ts';
import type { BypassActor, Conditions, RefTarget } from './schemas.ts';

type Columns = Selectable<DB['rulesets']>;
type RulesetId = Id<'rulesets'>;

/** A ruleset without its contents. */
export type RulesetHead = Omit<Columns, 'conditions' | 'rules'>;

/** A ruleset with its rules, conditions and bypass actors. */
export type RulesetRow = RulesetHead & {
  readonly conditions: Conditions;
  readonly rules: readonly Rule[];
  readonly bypass_actors: readonly BypassActor[];
};

/** A ruleset about refs or pushes. */
export type RefRuleset = RulesetRow & { readonly target: RefTarget; readonly rules: readonly RefRule[] };

/**
 * A ruleset of an organization that says something about repositories themselves. `repositoryRules`: its rules, if its target is
 * `repository`; another ruleset only protects names. `facts`: about the repository of the lookup; null if it was deleted.
 */
export type RepositoryRuleset = RulesetRow & {
  readonly repositoryRules: readonly RepositoryRule[];
  readonly facts: RepositoryFacts | null;
};

/** The organization or repository that owns rulesets. */
export type RulesetOwner =
  | { readonly column: 'organization_id'; readonly id: Id<'accounts'> }
  | { readonly column: 'repository_id'; readonly id: Id<'repositories'> };

const conditions = sql<Conditions>`rulesets.conditions`.as('conditions');

const heads = ['id', 'organization_id', 'repository_id', 'name', 'target', 'enforcement', 'created_at', 'updated_at'] as const;

/** The rules, conditions and bypass actors of a ruleset. */
const content = [
  conditions,
  sql<readonly Rule[]>`rulesets.rules`.as('rules'),
  sql<readonly BypassActor[]>`(
    select coalesce(jsonb_agg(jsonb_build_object(
      'actor_id', case a.kind when 'OrganizationAdmin' then 1 else coalesce(a.app_id, a.team_id, a.user_id, a.role_id) end,
      'actor_type', a.kind, 'bypass_mode', a.mode) order by a.position), '[]')
    from ruleset_bypass_actors a where a.ruleset_id = rulesets.id)`.as('bypass_actors'),
] as const;

const selectRulesets = (db: Db) => db.selectFrom('rulesets').select(heads).select(content);

/** The facts about the repository `r` that the conditions of its organization's rulesets need. */
const factsOfR = sql<RepositoryFacts>`jsonb_build_object('id', r.id, 'name', r.name, 'language', r.language,
  'fork', r.source_id is not null, 'visibility', r.visibility, 'custom', ${propertyLists})`;

/** The facts about a repository for the conditions of its organization's ruleset; null for a repository's own ruleset. */
const repositoryFacts = (repository: RuledRepository['id']) =>
  sql<RepositoryFacts | null>`case when rulesets.organization_id is not null then (
    select ${factsOfR} from repositories r where r.id = ${repository}) end`.as('facts');

/** A repository that an organization has, or would get. */
type RuledSubject = { readonly id: Id<'repositories'> } | Pick<RepositoryFacts, 'name' | 'visibility' | 'fork' | 'language'>;

/** The facts about a repository of an organization. One that it would get has the default values of its properties. */
const subjectFacts = (organization: Id<'accounts'>, subject: RuledSubject) =>
  'id' in subject
    ? sql<RepositoryFacts | null>`(select ${factsOfR} from repositories r where r.id = ${subject.id})`
    : sql<RepositoryFacts | null>`(
        select jsonb_build_object('id', 0, 'name', ${subject.name}::text, 'language', ${subject.language}::text,
          'fork', ${subject.fork}::boolean, 'visibility', ${subject.visibility}::text, 'custom', ${propertyLists})
        from (select 0::bigint as id, ${organization}::bigint as owner_id) r)`;

const saysSomethingOfRepositories = sql<boolean>`(rulesets.target = 'repository'
  or (rulesets.conditions #> '{repository_name,protected}') = 'true')`;

const withRepositoryRules = <Row extends RulesetRow>(row: Row) => ({
  ...row,
  // rulesets of this target have no other rules
  repositoryRules: row.target === 'repository' ? (row.rules as readonly RepositoryRule[]) : [],
});

/**
 * The rulesets of an organization that say something about repositories themselves and are in force or evaluated, with the facts
 * about one of its repositories, to which they may not apply.
 */
export async function loadRepositoryRulesets(
  db: Db,
  organization: Id<'accounts'>,
  subject: RuledSubject,
): Promise<RepositoryRuleset[]> {
  const rows = await selectRulesets(db)
    .select(subjectFacts(organization, subject).as('facts'))
    .where('organization_id', '=', organization)
    .where('enforcement', '<>', 'disabled')
    .where(saysSomethingOfRepositories)
    .orderBy('id')
    .execute();
  return rows.map(withRepositoryRules);
}

/** The facts about all repositories of an organization, apart from private forks of security advisories. */
export async function listRepositoryFacts(db: Db, organization: Id<'accounts'>): Promise<RepositoryFacts[]> {
  const { rows } = await sql<{ facts: RepositoryFacts }>`
    select ${factsOfR} as facts from repositories r
    where r.owner_id = ${organization} and not r.is_private_fork order by r.id`.execute(db);
  return rows.map(({ facts }) => facts);
}

type RepositoryKey = Pick<RuledRepository, 'id' | 'owner_id'>;

/** Whether a ruleset belongs to a repository, or is in force in its organization. */
const ofOrAbove = ({ id, owner_id }: RepositoryKey) =>
  sql<boolean>`(rulesets.repository_id = ${id} or rulesets.organization_id = ${owner_id} and rulesets.enforcement <> 'disabled')`;

/** The rows that apply to the repository with these facts. */
function applying<Row extends { readonly conditions: Conditions; readonly facts: RepositoryFacts | null }>(
  rows: readonly Row[],
): Omit<Row, 'facts'>[] {
  const work = stepsOfWork();
  return rows.flatMap(({ facts, ...row }) => (facts === null || matchesRepository(row.conditions, facts, work) ? [row] : []));
}

/**
 * The rulesets about refs that are in force or evaluated in a repository: its own, and its organization's that apply to it. It is
 * one statement, which reads two index entries if there are none.
 */
export async function loadRulesetsOf(db: Db, repository: RepositoryKey): Promise<RefRuleset[]> {
  const rows = await selectRulesets(db)
    .select(repositoryFacts(repository.id))
    .where(ofOrAbove(repository))
    .where('enforcement', '<>', 'disabled')
    .where('target', '<>', 'repository')
    .$castTo<RefRuleset & { facts: RepositoryFacts | null }>()
    .orderBy('id')
    .execute();
  return applying(rows);
}

/** The rulesets of a repository, and its organization's that are in force. Their number is limited. */
export async function listRulesetsAt(db: Db, repository: RepositoryKey): Promise<RulesetHead[]> {
  const rows = await db
    .selectFrom('rulesets')
    .select(heads)
    .select([conditions, repositoryFacts(repository.id)])
    .where(ofOrAbove(repository))
    .orderBy('id')
    .execute();
  return applying(rows);
}

/** A ruleset of a repository, or one of its organization that is in force. */
export async function findRulesetAt(db: Db, repository: RepositoryKey, id: RulesetId): Promise<RulesetRow | undefined> {
  const rows = await selectRulesets(db)
    .select(repositoryFacts(repository.id))
    .where(ofOrAbove(repository))
    .where('id', '=', id)
    .execute();
  return applying(rows)[0];
}

/** The rulesets of an owner. Their number is limited. */
export const listRulesets = (db: Db, { column, id }: RulesetOwner): Promise<RulesetHead[]> =>
  db.selectFrom('rulesets').select(heads).where(column, '=', id).orderBy('id').execute();

/** The rulesets of a repository itself, with all contents. Their number is limited. */
export const listOwnRulesets = (db: Db, repository: Id<'repositories'>): Promise<RefRuleset[]> =>
  selectRulesets(db).where('repository_id', '=', repository).orderBy('id').$castTo<RefRuleset>().execute();

/** An owner whose id the same statement may find. */
type OwnerQuery =
  | { readonly column: 'organization_id'; readonly id: OrSql<Id<'accounts'>> }
  | { readonly column: 'repository_id'; readonly id: OrSql<Id<'repositories'>> };

export const selectRuleset = (db: Db, { column, id }: OwnerQuery, ruleset: RulesetId) =>
  selectRulesets(db)
    .where(sql<boolean>`${sql.ref(column)} = ${id}`)
    .where('id', '=', ruleset);

export const findRuleset = (db: Db, id: RulesetId): Promise<RulesetRow | undefined> =>
  selectRulesets(db).where('id', '=', id).executeTakeFirst();

/** Reads the ruleset again and locks its row; undefined if it was deleted. */
export const findRulesetForUpdate = (tx: Tx, { id }: Pick<RulesetRow, 'id'>): Promise<RulesetRow | undefined> =>
  selectRulesets(tx).where('id', '=', id).forUpdate().executeTakeFirst();

/** The number of an owner's rulesets, and whether a ruleset other than `except` has the name. */
export async function countRulesets(
  tx: Tx,
  { column, id }: RulesetOwner,
  name: string,
  except?: RulesetId,
): Promise<{ total: number; taken: boolean }> {
  const { rows } = await sql<{ total: number; taken: boolean }>`
    select count(*) as total,
      coalesce(bool_or(lower(name) = lower(${name}) and id is distinct from ${except ?? null}::bigint), false) as taken
    from rulesets where ${sql.ref(column)} = ${id}`.execute(tx);
  return rows[0] ?? { total: 0, taken: false };
}

type Content = Pick<RulesetRow, 'conditions' | 'rules'>;
type Written<Row> = Omit<Row, keyof Content>;

const jsonOf = ({ conditions, rules }: Content) => ({ conditions: JSON.stringify(conditions), rules: JSON.stringify(rules) });

export async function insertRuleset(
  tx: Tx,
  { conditions, rules, ...row }: Written<Insertable<DB['rulesets']>> & Content,
): Promise<RulesetId> {
  const values = { ...row, ...jsonOf({ conditions, rules }) };
  return (await tx.insertInto('rulesets').values(values).returning('id').executeTakeFirstOrThrow()).id;
}

export const updateRuleset = (
  tx: Tx,
  id: RulesetId,
  { conditions, rules, ...change }: Written<Updateable<DB['rulesets']>> & Content,
): void =>
  sendUnawaited(
    tx,
    tx
      .updateTable('rulesets')
      .set({ ...change, ...jsonOf({ conditions, rules }) })
      .where('id', '=', id),
  );

export const removeRuleset = (tx: Tx, id: RulesetId) => tx.deleteFrom('rulesets').where('id', '=', id).execute();

/** Writes the bypass actors of a ruleset that has none. */
export function insertBypassActors(tx: Tx, ruleset: RulesetId, actors: readonly BypassActor[]): void {
  if (actors.length === 0) return;
  const idOf = (type: BypassActor['actor_type']) => sql`case a.kind when ${type} then a.actor end`;
  const rows = actors.map(({ actor_type, actor_id, bypass_mode }, position) => ({
    position,
    kind: actor_type,
    actor: actor_id,
    mode: bypass_mode,
  }));
  const write = sql`
    insert into ruleset_bypass_actors (ruleset_id, position, kind, app_id, team_id, user_id, role_id, mode)
    select ${ruleset}, a.position, a.kind, ${idOf('Integration')}, ${idOf('Team')}, ${idOf('User')},
      ${idOf('RepositoryRole')}, a.mode
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as a(position integer, kind text, actor bigint, mode text)`;
  sendUnawaited(tx, write.compile(tx));
}

export const removeBypassActors = (tx: Tx, ruleset: RulesetId): void =>
  sendUnawaited(tx, tx.deleteFrom('ruleset_bypass_actors').where('ruleset_id', '=', ruleset));

/** The requested actors that may bypass rulesets of an owner, by id. */
type KnownActors = { readonly apps: number[]; readonly teams: number[]; readonly users: number[] };

/**
 * The given actors that are valid: apps that are installed on the account, its teams, and users who are its members or have a
 * role in the repository.
 */
export async function findKnownActors(
  tx: Tx,
  { account, repository }: { account: Id<'accounts'>; repository: Id<'repositories'> | undefined },
  { apps, teams, users }: KnownActors,
): Promise<KnownActors> {
  const hasRole = (user: RawBuilder<unknown>) =>
    repository === undefined
      ? sql`false`
      : sql`exists (select from repository_roles role
          where role.repository_id = ${repository} and role.account_id = ${user} and role.level > 0)`;
  const { rows } = await sql<KnownActors>`select
    array(select i.app_id from installations i where i.account_id = ${account} and i.app_id = any (${apps}::bigint[])) as apps,
    array(select t.id from teams t where t.organization_id = ${account} and t.id = any (${teams}::bigint[])) as teams,
    array(select u.id from accounts u where u.id = any (${users}::bigint[]) and u.kind = 'user'
      and (exists (select from memberships m where m.organization_id = ${account} and m.user_id = u.id)
        or ${hasRole(sql`u.id`)})) as users`.execute(tx);
  return rows[0] ?? { apps: [], teams: [], users: [] };
}

/** The given ids of repositories that belong to an account; with a viewer, of those that the viewer may read. */
export async function listOwnedIds(tx: Tx, account: Id<'accounts'>, ids: readonly number[], viewer?: Viewer): Promise<number[]> {
  const owned = tx
    .selectFrom('repositories')
    .select('id')
    .where('owner_id', '=', account)
    .where(sql<boolean>`id = any (${[...ids]}::bigint[])`);
  const query = viewer ? owned.where(sql<boolean>`id in ${readableRepositoryIds(viewer)}`) : owned;
  return (await query.execute()).map(({ id }) => id);
}

/** An account's position in an organization: whether it is an owner, and its teams with their parents. */
type MemberFacts = { readonly isOwner: boolean; readonly teams: Id<'teams'>[] };

export async function findMemberFacts(db: Db, organization: Id<'accounts'>, account: Id<'accounts'>): Promise<MemberFacts> {
  const { rows } = await sql<MemberFacts>`select
    exists (select from memberships m where m.organization_id = ${organization} and m.user_id = ${account}
      and m.role = 'owner') as "isOwner",
    ${teamsOf(account, organization)} as teams`.execute(db);
  return rows[0] ?? { isOwner: false, teams: [] };
}

/** The former state of a ruleset. */
export type RulesetState = Pick<RulesetRow, 'name' | 'target' | 'enforcement' | 'bypass_actors' | 'conditions' | 'rules'>;

export type VersionHead = Pick<Selectable<DB['ruleset_versions']>, 'id' | 'actor_id' | 'created_at'> & {
  readonly actor_kind: Selectable<DB['accounts']>['kind'] | null;
};
export type VersionRow = VersionHead & { readonly state: RulesetState };

export const insertVersion = (
  tx: Tx,
  { state, ...row }: Omit<Insertable<DB['ruleset_versions']>, 'state'> & { state: RulesetState },
): void => sendUnawaited(tx, tx.insertInto('ruleset_versions').values({ ...row, state: JSON.stringify(state) }));

const selectVersions = (db: Db, ruleset: RulesetId) =>
  db
    .selectFrom('ruleset_versions')
    .select(['id', 'actor_id', 'created_at'])
    .select((eb) =>
      eb.selectFrom('accounts').select('kind').whereRef('accounts.id', '=', 'ruleset_versions.actor_id').as('actor_kind'),
    )
    .where('ruleset_id', '=', ruleset);

/** The versions of a ruleset, latest first. */
export const listVersions = (db: Db, ruleset: RulesetId, page: Page): Promise<Listed<VersionHead>> =>
  list(db, selectVersions(db, ruleset).orderBy('id', 'desc'), page);

export const findVersion = (db: Db, ruleset: RulesetId, id: Id<'ruleset_versions'>): Promise<VersionRow | undefined> =>
  selectVersions(db, ruleset).select(sql<RulesetState>`state`.as('state')).where('id', '=', id).executeTakeFirst();

/** The given rulesets that exist. */
export async function listExisting(db: Db, ids: readonly number[]): Promise<RulesetId[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('rulesets')
    .select('id')
    .where(sql<boolean>`id = any (${[...ids]}::bigint[])`)
    .execute();
  return rows.map(({ id }) => id);
}
