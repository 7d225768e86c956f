import { type Selectable, sql } from 'kysely';
import { teamsOf } from '#access/sql.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { ActorFacts, Applied, RuledRepository, RuleSource } from '#resources/code/rulesets/index.ts';
import type { AnyEvaluation, MoveEvaluation, RefActor, SuiteResult } from './evaluator.ts';

/** The data that decides whether somebody may bypass rules of a repository, in one statement; none for the server itself. */
export async function loadActorFacts(
  db: Db,
  { id, owner_id }: Pick<RuledRepository, 'id' | 'owner_id'>,
  { account, isDeployKey = false }: RefActor,
): Promise<ActorFacts> {
  const nobody: ActorFacts = { account, level: 0, isOwner: false, teams: new Set(), app: undefined, isDeployKey };
  if (account === undefined || isDeployKey) return nobody;
  const { rows } = await sql<{ level: number; is_owner: boolean; teams: Id<'teams'>[]; app: Id<'apps'> | null }>`select
    coalesce((select max(role.level) from repository_roles role
      where role.repository_id = ${id} and role.account_id = ${account}), 0) as level,
    exists (select from memberships m
      where m.organization_id = ${owner_id} and m.user_id = ${account} and m.role = 'owner') as is_owner,
    ${teamsOf(account, owner_id)} as teams,
    (select a.id from apps a where a.bot_id = ${account}) as app`.execute(db);
  const [row] = rows;
  if (!row) return nobody;
  return { ...nobody, level: row.level, isOwner: row.is_owner, teams: new Set(row.teams), app: row.app ?? undefined };
}

type SuiteOrigin = { repository: Id<'repositories'>; actor: Id<'accounts'> | undefined; at: Date };

/** Stores the results of rules for moves. */
export async function insertSuites(
  tx: Tx,
  { repository, actor, at }: SuiteOrigin,
  moveEvaluations: readonly MoveEvaluation[],
): Promise<void> {
  if (moveEvaluations.length === 0) return;
  await tx
    .insertInto('rule_suites')
    .values(
      moveEvaluations.map(({ move, evaluations, result }) => ({
        repository_id: repository,
        actor_id: actor ?? null,
        ref: move.ref,
        before_sha: move.before,
        after_sha: move.after,
        result,
        evaluation_result: resultWithTrials(evaluations),
        evaluations: JSON.stringify(evaluations.map(storedEvaluation)),
        pushed_at: at,
      })),
    )
    .execute();
}

/** The results of rules for a change of a repository itself. `subject` is undefined for a repository that wasn't created. */
export type RepositorySuite = {
  organization: Id<'accounts'>;
  subject: Id<'repositories'> | undefined;
  name: string;
  change: 'create' | 'update' | 'transfer' | 'delete';
  actor: Id<'accounts'>;
  result: SuiteResult;
  evaluations: readonly AnyEvaluation[];
  at: Date;
};

/** Stores the results of rules for changes of repositories themselves. */
export async function insertRepositorySuites(tx: Tx, suites: readonly RepositorySuite[]): Promise<void> {
  if (suites.length === 0) return;
  await tx
    .insertInto('rule_suites')
    .values(
      suites.map(({ organization, subject, name, change, actor, result, evaluations, at }) => ({
        organization_id: organization,
        subject_id: subject ?? null,
        subject_name: name,
        change,
        actor_id: actor,
        result,
        evaluation_result: resultWithTrials(evaluations),
        evaluations: JSON.stringify(evaluations.map(storedEvaluation)),
        pushed_at: at,
      })),
    )
    .execute();
}

/** The stored form of an evaluated rule. */
type StoredEvaluation = {
  source: RuleSource;
  enforcement: Applied<{ readonly type: string }>['enforcement'];
  rule_type: string;
  result: 'pass' | 'fail';
  details: string | null;
};

const storedEvaluation = ({ applied: { source, enforcement, rule }, violation }: AnyEvaluation): StoredEvaluation => ({
  source,
  enforcement,
  rule_type: rule.type,
  result: violation === undefined ? 'pass' : 'fail',
  details: violation ?? null,
});

/** The result if rules in evaluation mode were in force; null if there are none. */
function resultWithTrials(evaluations: readonly AnyEvaluation[]): SuiteResult | null {
  if (evaluations.every(({ applied }) => applied.enforcement === 'active')) return null;
  const broken = evaluations.filter(({ violation }) => violation !== undefined);
  return broken.length === 0 ? 'pass' : broken.every(({ isBypassed }) => isBypassed) ? 'bypass' : 'fail';
}

/** The stored results of rules for a move or a change of a repository, with the names of the actor and the repository. */
export type SuiteRow = Omit<Selectable<DB['rule_suites']>, 'evaluations'> & {
  evaluations: StoredEvaluation[];
  actor_login: string | null;
  repository_name: string;
};

/** The owner of suites: a repository with its present owner, or an organization with all of its repositories. */
export type SuiteOwner = { repository: Id<'repositories'>; owner: Id<'accounts'> } | { owner: Id<'accounts'> };

const suitesOfRepository = (repository: Id<'repositories'>, owner: Id<'accounts'>) =>
  sql<boolean>`(s.repository_id = ${repository} or s.subject_id = ${repository} and s.organization_id = ${owner})`;

/** The ids are an array, so that both sides use their index. */
const suitesOfOrganization = (owner: Id<'accounts'>) =>
  sql<boolean>`(s.repository_id = any (array(select id from repositories where owner_id = ${owner}))
    or s.organization_id = ${owner})`;

const repositoryName = sql<string>`coalesce(r.name, s.subject_name)`;

const suitesOf = (db: Db, owner: SuiteOwner) =>
  db
    .selectFrom('rule_suites as s')
    .leftJoin('repositories as r', 'r.id', 's.repository_id')
    .leftJoin('accounts as a', 'a.id', 's.actor_id')
    .selectAll('s')
    .select(['a.login as actor_login', repositoryName.as('repository_name')])
    .where('repository' in owner ? suitesOfRepository(owner.repository, owner.owner) : suitesOfOrganization(owner.owner))
    .$castTo<SuiteRow>();

export const findSuite = (db: Db, owner: SuiteOwner, id: Id<'rule_suites'>): Promise<SuiteRow | undefined> =>
  suitesOf(db, owner).where('s.id', '=', id).executeTakeFirst();

type SuiteFilter = {
  since: Date;
  ref?: string | undefined;
  actor_name?: string | undefined;
  repository_name?: string | undefined;
  rule_suite_result: SuiteRow['result'] | 'all';
  evaluate_status: 'all' | 'active' | 'evaluate';
};

/** Suites since a given time, latest first. `refs/heads/` is optional in the name of a ref. */
export function listSuites(db: Db, owner: SuiteOwner, filter: SuiteFilter, page: Page): Promise<Listed<SuiteRow>> {
  const { ref, actor_name, repository_name, rule_suite_result: result, evaluate_status: status } = filter;
  let query = suitesOf(db, owner).where('s.pushed_at', '>=', filter.since);
  if (ref !== undefined) query = query.where('s.ref', 'in', [ref, `refs/heads/${ref}`]);
  if (actor_name !== undefined) query = query.where(sql<boolean>`lower(a.login) = lower(${actor_name})`);
  if (repository_name !== undefined) query = query.where(sql<boolean>`lower(${repositoryName}) = lower(${repository_name})`);
  if (result !== 'all') query = query.where('s.result', '=', result);
  if (status !== 'all') query = query.where('s.evaluation_result', status === 'active' ? 'is' : 'is not', null);
  return list(db, query.orderBy('s.id', 'desc'), page);
}

const removalsPerBatch = 1_000;

/** Removes some suites from before a time, and returns their number. */
export async function removeSuitesBefore(db: Db, before: Date): Promise<number> {
  const { numAffectedRows = 0n } = await sql`delete from rule_suites where id in
    (select id from rule_suites where pushed_at < ${before} limit ${sql.lit(removalsPerBatch)})`.execute(db);
  return Number(numAffectedRows);
}
