import type { RepositoryAction } from '#access/action.ts';
import type { Db, Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { unique } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { fnmatchProblem } from '#lib/path-pattern.ts';
import { stepsOfWork } from '#lib/pattern-steps.ts';
import { invalid, notFound, orNotFound } from '#lib/refusal.ts';
import { listProtectedNames } from '#resources/code/branch-protection/index.ts';
import { loadVisibleTeams } from '#resources/identity/teams/index.ts';
import { environmentLimits } from './limits.ts';
import { type BranchProtection, loadProtection, mayDeploy } from './protection.ts';
import type { EnvironmentSettings, NewDeploymentBranchPolicy } from './schemas.ts';
import type { BranchPolicyRow, CustomRule, EnvironmentRow, OwnRule, Reviewer } from './store.ts';
import * as store from './store.ts';

/** The fields of an action that events contain. */
type EventAction = Parameters<typeof inRepository>[0];

const maxName = 255;
const maxPolicies = fixedValue(environmentLimits.branchPolicies);
const maxApps = fixedValue(environmentLimits.apps);

/**
 * Checks the name of an environment.
 * @throws Refusal 422 for a name that is blank, too long, or contains control characters
 */
export function checkEnvironmentName(name: string, resource: string): void {
  if (name.trim() !== name || name === '' || name.length > maxName || /\p{Cc}/u.test(name))
    throw invalid(
      resource,
      'environment',
      'invalid',
      `The name of an environment has 1 to ${maxName} characters, and no blank at its ends`,
    );
}

/**
 * Creates an environment, or replaces all settings of the existing one with this name: omitted settings return to their defaults.
 * Branch and tag patterns are removed when the environment no longer uses them, so that they can't reappear unnoticed.
 */
export async function setEnvironment(
  scope: WriteScope,
  action: RepositoryAction,
  name: string,
  settings: EnvironmentSettings,
): Promise<EnvironmentRow> {
  const { repo, now } = action;
  checkEnvironmentName(name, 'Environment');
  const deploys = deploysOf(settings);
  const reviewers = await findReviewers(scope, action, settings.reviewers ?? []);
  const { is_new, ...row } = await store.putEnvironment(scope.tx, {
    repository_id: repo.id,
    name,
    deploys,
    admins_bypass: settings.can_admins_bypass,
    updated_at: now,
  });
  store.putRules(scope.tx, row.id, rulesOf(settings, deploys));
  store.putReviewers(scope.tx, row.id, reviewers);
  if (deploys !== 'custom') store.removeBranchPolicies(scope.tx, row.id);
  await recordChange(scope.tx, action, row, is_new ? 'environment.created' : 'environment.edited');
  return row;
}

function deploysOf({ deployment_branch_policy: policy }: EnvironmentSettings): EnvironmentRow['deploys'] {
  if (!policy) return 'all';
  if (policy.protected_branches === policy.custom_branch_policies) {
    const message = 'One of protected_branches and custom_branch_policies must be true, and the other one false';
    throw invalid('Environment', 'deployment_branch_policy', 'invalid', message);
  }
  return policy.protected_branches ? 'protected' : 'custom';
}

function rulesOf(
  { wait_timer, prevent_self_review, reviewers }: EnvironmentSettings,
  deploys: EnvironmentRow['deploys'],
): OwnRule[] {
  const none = { wait_minutes: null, prevent_self_review: null };
  return [
    wait_timer > 0 ? [{ ...none, type: 'wait_timer' as const, wait_minutes: wait_timer }] : [],
    reviewers && reviewers.length > 0 ? [{ ...none, type: 'required_reviewers' as const, prevent_self_review }] : [],
    deploys === 'all' ? [] : [{ ...none, type: 'branch_policy' as const }],
  ].flat();
}

type Wanted = NonNullable<EnvironmentSettings['reviewers']>;

/**
 * The people and teams with these ids.
 * @throws Refusal 422 for people without a role in the repository, and for teams that the actor may not see
 */
async function findReviewers(scope: WriteScope, { repo, by }: RepositoryAction, wanted: Wanted): Promise<Reviewer[]> {
  const idsOf = (type: Wanted[number]['type']) => unique(wanted.map((one) => (one.type === type ? one.id : null)));
  const [userIds, teamIds] = [idsOf('User').map(asId<'accounts'>), idsOf('Team').map(asId<'teams'>)];
  const [users, teams, seen] = await Promise.all([
    store.findReviewingUsers(scope.tx, repo, userIds),
    store.findReviewingTeams(scope.tx, repo, teamIds),
    loadVisibleTeams(scope.tx, by, teamIds),
  ]);
  if (users.length < userIds.length || teams.length < teamIds.length || seen.length < teamIds.length)
    throw invalid('Environment', 'reviewers', 'invalid', 'Reviewers must be people and teams with read access to the repository');
  const distinct = new Map<string, Reviewer>(
    wanted.map(({ type, id }) => [
      `${type} ${id}`,
      type === 'User' ? { user_id: asId<'accounts'>(id), team_id: null } : { user_id: null, team_id: asId<'teams'>(id) },
    ]),
  );
  return [...distinct.values()];
}

/** Deletes an environment with its protection. Its deployments stay. */
export async function deleteEnvironment(
  scope: WriteScope,
  action: RepositoryAction,
  { id, name }: EnvironmentRow,
): Promise<void> {
  await store.removeEnvironment(scope.tx, id);
  await record(scope.tx, { ...inRepository(action), kind: 'environment.deleted', data: { name } });
}

/** The environment with this name, created without protection if it doesn't exist. */
export async function ensureEnvironment(tx: Tx, action: EventAction, name: string): Promise<EnvironmentRow> {
  const { repo, now } = action;
  const known = await store.findEnvironment(tx, repo.id, name);
  if (known) return known;
  checkEnvironmentName(name, 'Deployment');
  const added = await store.insertEnvironment(tx, { repository: repo.id, name, now });
  if (!added) return orNotFound(await store.findEnvironment(tx, repo.id, name));
  await recordChange(tx, action, added, 'environment.created');
  return added;
}

/** Whether a ref may be deployed to an environment; `ref` as in `mayDeploy`. */
export async function takesRef(db: Db, environment: EnvironmentRow, ref: string | undefined): Promise<boolean> {
  if (environment.deploys === 'all') return true;
  const [protection, branches] = await Promise.all([
    loadProtection(db, environment),
    findBranchProtection(db, environment.repository_id, ref),
  ]);
  return mayDeploy(protection, ref, branches);
}

const heads = 'refs/heads/';

/** The protection of a repository's branches, for `mayDeploy`. Rulesets don't count, as in the public API. */
export async function findBranchProtection(
  db: Db,
  repository: Id<'repositories'>,
  ref: string | undefined,
): Promise<BranchProtection> {
  const names = await listProtectedNames(db, repository);
  return { isAny: names.length > 0, isThis: names.some((name) => heads + name === ref) };
}

const recordChange = (
  tx: Tx,
  action: EventAction,
  { id }: Pick<EnvironmentRow, 'id'>,
  kind: 'environment.created' | 'environment.edited',
): Promise<void> => record(tx, { ...inRepository(action), kind, data: { environment: id } });

const checkPattern = (name: string): void => {
  const problem = fnmatchProblem(name, stepsOfWork());
  if (problem !== undefined) throw invalid('DeploymentBranchPolicy', 'name', 'invalid', `name ${problem}`);
};

/**
 * Adds a pattern of branches or tags, or finds the existing one. The caller has locked the environment.
 * @throws Refusal 404 if the environment allows all branches, or the protected ones
 */
export async function createBranchPolicy(
  scope: WriteScope,
  action: RepositoryAction,
  { id, deploys }: EnvironmentRow,
  { name, type }: NewDeploymentBranchPolicy,
): Promise<{ existing: BranchPolicyRow['id'] } | { created: BranchPolicyRow }> {
  if (deploys !== 'custom') throw notFound();
  checkPattern(name);
  const { total, same } = await store.countBranchPolicies(scope.tx, id, { type, name });
  if (same !== null) return { existing: same };
  if (total >= maxPolicies)
    throw invalid('DeploymentBranchPolicy', 'name', 'unprocessable', `An environment can have at most ${maxPolicies} patterns`);
  const created = await store.insertBranchPolicy(scope.tx, { environment_id: id, type, name });
  await recordChange(scope.tx, action, { id }, 'environment.edited');
  return { created };
}

/**
 * Changes a pattern. The caller has locked its environment.
 * @throws Refusal 422 if the environment already has this pattern
 */
export async function changeBranchPolicy(
  scope: WriteScope,
  action: RepositoryAction,
  { id, environment_id, type }: BranchPolicyRow,
  name: string,
): Promise<BranchPolicyRow> {
  checkPattern(name);
  const { same } = await store.countBranchPolicies(scope.tx, environment_id, { type, name });
  if (same !== null && same !== id) throw invalid('DeploymentBranchPolicy', 'name', 'already_exists');
  const row = await store.updateBranchPolicy(scope.tx, id, name);
  await recordChange(scope.tx, action, { id: environment_id }, 'environment.edited');
  return row;
}

export async function deleteBranchPolicy(
  scope: WriteScope,
  action: RepositoryAction,
  { id, environment_id }: BranchPolicyRow,
): Promise<void> {
  await store.removeBranchPolicy(scope.tx, id);
  await recordChange(scope.tx, action, { id: environment_id }, 'environment.edited');
}

/**
 * Adds an app that must approve deployments to an environment. The caller has locked the environment.
 * @throws Refusal 422 for an app that can't approve deployments here, or is already added
 */
export async function createProtectionRule(
  scope: WriteScope,
  action: RepositoryAction,
  { id }: EnvironmentRow,
  app: Id<'apps'>,
): Promise<CustomRule> {
  const [found, rules] = await Promise.all([
    store.findAskableApp(scope.tx, action.repo, app),
    store.listCustomRules(scope.tx, id),
  ]);
  const refused = (code: 'invalid' | 'already_exists' | 'unprocessable', message?: string) =>
    invalid('DeploymentProtectionRule', 'integration_id', code, message);
  if (!found)
    throw refused(
      'invalid',
      'integration_id must name an app that is installed here, may write deployments and subscribes to ' +
        'deployment_protection_rule',
    );
  if (rules.some(({ app_id }) => app_id === app)) throw refused('already_exists');
  if (rules.length >= maxApps) throw refused('unprocessable', `An environment can have at most ${maxApps} such rules`);
  const rule = await store.insertCustomRule(scope.tx, id, app);
  await recordChange(scope.tx, action, { id }, 'environment.edited');
  return { id: rule.id, app_id: app, slug: found.slug };
}

export async function deleteProtectionRule(
  scope: WriteScope,
  action: RepositoryAction,
  environment: EnvironmentRow,
  { id }: CustomRule,
): Promise<void> {
  await store.removeRule(scope.tx, id);
  await recordChange(scope.tx, action, environment, 'environment.edited');
}
