import { type Insertable, type Selectable, sql } from 'kysely';
import { permissionIn } from '#access/sql.ts';
import { type Db, type OrSql, sendUnawaited, type Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { gather, keyed } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import { teamReaches } from '#resources/collaboration/pulls/index.ts';

export type EnvironmentRow = Selectable<DB['environments']>;
export type RuleRow = Selectable<DB['environment_rules']>;
export type ReviewerRow = Selectable<DB['environment_reviewers']>;
export type BranchPolicyRow = Selectable<DB['environment_branch_policies']>;

type Environment = Id<'environments'>;
type Owned = { id: RepositoryId; owner_id: Id<'accounts'> };

/** The environments of a repository, ordered by name. */
export const listEnvironments = (db: Db, repository: RepositoryId, page: Page): Promise<Listed<EnvironmentRow>> =>
  list(
    db,
    db.selectFrom('environments').selectAll().where('repository_id', '=', repository).orderBy(sql`lower(name)`).orderBy('id'),
    page,
  );

/** An environment by its name, regardless of case. */
export const selectEnvironment = (db: Db, repository: OrSql<RepositoryId>, name: string) =>
  db
    .selectFrom('environments')
    .selectAll()
    .where('repository_id', '=', repository)
    .where(sql<boolean>`lower(name) = lower(${name})`);

export const findEnvironment = (db: Db, repository: RepositoryId, name: string): Promise<EnvironmentRow | undefined> =>
  selectEnvironment(db, repository, name).executeTakeFirst();

export const loadEnvironments = async (db: Db, ids: readonly Environment[]): Promise<Map<Environment, EnvironmentRow>> =>
  keyed(
    ids.length === 0
      ? []
      : await db
          .selectFrom('environments')
          .selectAll()
          .where('id', 'in', [...ids])
          .execute(),
    ({ id }) => id,
  );

/** Reads the environment again and locks its row; undefined if it was deleted. */
export const findEnvironmentForUpdate = (tx: Tx, { id }: Pick<EnvironmentRow, 'id'>): Promise<EnvironmentRow | undefined> =>
  tx.selectFrom('environments').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/**
 * Adds an environment, or sets the allowed refs of the existing one with this name, and whether administrators may bypass its
 * rules. The row is then locked.
 */
export async function putEnvironment(
  tx: Tx,
  { repository_id, name, deploys, admins_bypass, updated_at }: Omit<Insertable<DB['environments']>, 'created_at'>,
): Promise<EnvironmentRow & { is_new: boolean }> {
  const { rows } = await sql<EnvironmentRow & { is_new: boolean }>`
    insert into environments (repository_id, name, deploys, admins_bypass, created_at, updated_at)
    values (${repository_id}, ${name}, ${deploys}, ${admins_bypass}, ${updated_at}, ${updated_at})
    on conflict (repository_id, lower(name)) do update
      set deploys = excluded.deploys, admins_bypass = excluded.admins_bypass, updated_at = excluded.updated_at
    returning *, (xmax = 0) as is_new`.execute(tx);
  return rows[0] as EnvironmentRow & { is_new: boolean }; // one row was inserted or updated
}

/** Adds an environment without protection; undefined if one with this name exists. */
export const insertEnvironment = (
  tx: Tx,
  { repository, name, now }: { repository: RepositoryId; name: string; now: Date },
): Promise<EnvironmentRow | undefined> =>
  tx
    .insertInto('environments')
    .values({ repository_id: repository, name, deploys: 'all', created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

export const removeEnvironment = (tx: Tx, id: Environment) => tx.deleteFrom('environments').where('id', '=', id).execute();

/** A rule that the server itself enforces. */
export type OwnRule = Pick<RuleRow, 'wait_minutes' | 'prevent_self_review'> & { type: Exclude<RuleRow['type'], 'custom'> };

/** Sets the rules of an environment that don't consult an app. A remaining rule keeps its id. */
export function putRules(tx: Tx, environment: Environment, rules: readonly OwnRule[]): void {
  const types = gather(rules, 'type');
  const gone = sql`
    delete from environment_rules
    where environment_id = ${environment} and type <> 'custom' and type <> all (${types}::text[])`;
  sendUnawaited(tx, gone.compile(tx));
  if (rules.length === 0) return;
  const written = tx
    .insertInto('environment_rules')
    .values(rules.map((rule) => ({ ...rule, environment_id: environment, app_id: null })))
    .onConflict((conflict) =>
      conflict.columns(['environment_id', 'type', 'app_id']).doUpdateSet(({ ref }) => ({
        wait_minutes: ref('excluded.wait_minutes'),
        prevent_self_review: ref('excluded.prevent_self_review'),
      })),
    );
  sendUnawaited(tx, written.compile());
}

/** The rules of environments, in display order. */
export const loadRules = async (db: Db, environments: readonly Environment[]): Promise<RuleRow[]> =>
  environments.length === 0
    ? []
    : db
        .selectFrom('environment_rules')
        .selectAll()
        .where('environment_id', 'in', [...environments])
        .orderBy(sql`array_position(array['wait_timer', 'required_reviewers', 'branch_policy', 'custom'], type)`)
        .orderBy('id')
        .execute();

export type Reviewer = Pick<ReviewerRow, 'user_id' | 'team_id'>;

/** Sets the reviewers of deployments. */
export function putReviewers(tx: Tx, environment: Environment, reviewers: readonly Reviewer[]): void {
  sendUnawaited(tx, tx.deleteFrom('environment_reviewers').where('environment_id', '=', environment).compile());
  if (reviewers.length === 0) return;
  const written = tx
    .insertInto('environment_reviewers')
    .values(reviewers.map((reviewer) => ({ ...reviewer, environment_id: environment })));
  sendUnawaited(tx, written.compile());
}

/** The reviewers of deployments to environments, in the given order. */
export const loadReviewers = async (db: Db, environments: readonly Environment[]): Promise<ReviewerRow[]> =>
  environments.length === 0
    ? []
    : db
        .selectFrom('environment_reviewers')
        .selectAll()
        .where('environment_id', 'in', [...environments])
        .orderBy('id')
        .execute();

/** The given users who have a role in a repository. */
export const findReviewingUsers = async (
  db: Db,
  { id }: Owned,
  users: readonly Id<'accounts'>[],
): Promise<{ id: Id<'accounts'> }[]> =>
  users.length === 0
    ? []
    : db
        .selectFrom('accounts')
        .select('id')
        .where('id', 'in', [...users])
        .where(
          sql<boolean>`kind = 'user' and suspended_at is null and exists (
            select from repository_roles role
            where role.repository_id = ${id} and role.account_id = accounts.id and role.level > 0)`,
        )
        .execute();

/** The given teams of a repository's owner that have a role in it. */
export const findReviewingTeams = async (
  db: Db,
  { id, owner_id }: Owned,
  teams: readonly Id<'teams'>[],
): Promise<{ id: Id<'teams'> }[]> =>
  teams.length === 0
    ? []
    : db
        .selectFrom('teams as t')
        .select('t.id')
        .where('t.id', 'in', [...teams])
        .where('t.organization_id', '=', owner_id)
        .where(teamReaches(sql`${id}`, 1))
        .execute();

const ofEnvironment = (db: Db, environment: Environment) =>
  db.selectFrom('environment_branch_policies').selectAll().where('environment_id', '=', environment);

export const listBranchPolicies = (db: Db, environment: Environment, page: Page): Promise<Listed<BranchPolicyRow>> =>
  list(db, ofEnvironment(db, environment).orderBy('id'), page);

/** All patterns of environments. The number for each is limited. */
export const loadBranchPolicies = async (db: Db, environments: readonly Environment[]): Promise<BranchPolicyRow[]> =>
  environments.length === 0
    ? []
    : db
        .selectFrom('environment_branch_policies')
        .selectAll()
        .where('environment_id', 'in', [...environments])
        .orderBy('id')
        .execute();

export const findBranchPolicy = (
  db: Db,
  environment: Environment,
  id: Id<'environment_branch_policies'>,
): Promise<BranchPolicyRow | undefined> => ofEnvironment(db, environment).where('id', '=', id).executeTakeFirst();

/** Reads the pattern again and locks its row; undefined if it was deleted. */
export const findBranchPolicyForUpdate = (tx: Tx, { id }: Pick<BranchPolicyRow, 'id'>): Promise<BranchPolicyRow | undefined> =>
  tx.selectFrom('environment_branch_policies').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** The number of an environment's patterns, and the pattern that equals the given one. */
export async function countBranchPolicies(
  tx: Tx,
  environment: Environment,
  { type, name }: Pick<BranchPolicyRow, 'type' | 'name'>,
): Promise<{ total: number; same: BranchPolicyRow['id'] | null }> {
  const { rows } = await sql<{ total: number; same: BranchPolicyRow['id'] | null }>`
    select count(*) as total, max(id) filter (where type = ${type} and name = ${name}) as same
    from environment_branch_policies where environment_id = ${environment}`.execute(tx);
  return rows[0] ?? { total: 0, same: null };
}

export const insertBranchPolicy = (tx: Tx, row: Insertable<DB['environment_branch_policies']>): Promise<BranchPolicyRow> =>
  tx.insertInto('environment_branch_policies').values(row).returningAll().executeTakeFirstOrThrow();

export const updateBranchPolicy = (tx: Tx, id: BranchPolicyRow['id'], name: string): Promise<BranchPolicyRow> =>
  tx.updateTable('environment_branch_policies').set({ name }).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

export const removeBranchPolicy = (tx: Tx, id: BranchPolicyRow['id']) =>
  tx.deleteFrom('environment_branch_policies').where('id', '=', id).execute();

export const removeBranchPolicies = (tx: Tx, environment: Environment): void =>
  sendUnawaited(tx, tx.deleteFrom('environment_branch_policies').where('environment_id', '=', environment).compile());

/** An app that deployments can wait for. */
export type RuleApp = Pick<Selectable<DB['apps']>, 'id' | 'slug'>;

/**
 * The apps that deployments in a repository can wait for: they are installed on it, may write deployments, and subscribe to
 * waiting deployments.
 */
const askable = (db: Db, { id, owner_id }: Owned) =>
  db
    .selectFrom('apps')
    .select(['apps.id', 'apps.slug'])
    .where(
      sql<boolean>`exists (
        select from installations i
        where i.app_id = apps.id and i.account_id = ${owner_id} and i.suspended_at is null
          and ${permissionIn(sql`i.permissions`, 'deployments:write')} and 'deployment_protection_rule' = any (i.events)
          and (i.repository_selection = 'all' or exists (
            select from installation_repositories ir where ir.installation_id = i.id and ir.repository_id = ${id})))`,
    );

export const listAskableApps = (db: Db, repo: Owned, page: Page): Promise<Listed<RuleApp>> =>
  list(db, askable(db, repo).orderBy('apps.id'), page);

export const findAskableApp = (db: Db, repo: Owned, app: Id<'apps'>): Promise<RuleApp | undefined> =>
  askable(db, repo).where('apps.id', '=', app).executeTakeFirst();

/** A rule that consults an app. */
export type CustomRule = Pick<RuleRow, 'id'> & { app_id: Id<'apps'>; slug: string };

const customRules = (db: Db, environment: Environment) =>
  db
    .selectFrom('environment_rules as r')
    .innerJoin('apps as a', 'a.id', 'r.app_id')
    .select(['r.id', 'a.id as app_id', 'a.slug'])
    .where('r.environment_id', '=', environment)
    .where('r.type', '=', sql.lit('custom'));

/** The rules of an environment that consult apps. Their number is limited. */
export const listCustomRules = (db: Db, environment: Environment): Promise<CustomRule[]> =>
  customRules(db, environment).orderBy('r.id').execute();

export const findCustomRule = (db: Db, environment: Environment, id: Id<'environment_rules'>): Promise<CustomRule | undefined> =>
  customRules(db, environment).where('r.id', '=', id).executeTakeFirst();

/** Reads the rule again and locks its row; undefined if it was deleted. */
export const findCustomRuleForUpdate = (
  tx: Tx,
  environment: Environment,
  { id }: Pick<CustomRule, 'id'>,
): Promise<CustomRule | undefined> => customRules(tx, environment).where('r.id', '=', id).forUpdate('r').executeTakeFirst();

export const insertCustomRule = (tx: Tx, environment: Environment, app: Id<'apps'>): Promise<{ id: RuleRow['id'] }> =>
  tx
    .insertInto('environment_rules')
    .values({ environment_id: environment, type: 'custom', app_id: app })
    .returning('id')
    .executeTakeFirstOrThrow();

export const removeRule = (tx: Tx, id: RuleRow['id']) => tx.deleteFrom('environment_rules').where('id', '=', id).execute();
