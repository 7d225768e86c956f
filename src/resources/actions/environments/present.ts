import { everybody } from '#access/viewer.ts';
import { type Links, path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional, grouped, keyed } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import type { RepositoryUrls } from '#resources/code/commits/index.ts';
import { loadAccounts, presentUser } from '#resources/identity/accounts/index.ts';
import { loadTeams, loadVisibleTeams, presentTeams } from '#resources/identity/teams/index.ts';
import type {
  DeploymentBranchPolicy,
  DeploymentProtectionRule,
  DeploymentRuleApp,
  Environment,
  EnvironmentReviewer,
  EnvironmentRule,
} from './schemas.ts';
import {
  type BranchPolicyRow,
  type CustomRule,
  type EnvironmentRow,
  loadReviewers,
  loadRules,
  type ReviewerRow,
  type RuleApp,
  type RuleRow,
} from './store.ts';

/** The address of an environment. Slashes in its name are escaped. */
export const environmentUrl = ({ url }: Pick<RepositoryUrls, 'url'>, name: string): string =>
  `${url}/environments/${encodeURIComponent(name)}`;

/** An environment with its addresses only. */
export const presentNamedEnvironment = (urls: RepositoryUrls, { id, name }: Pick<EnvironmentRow, 'id' | 'name'>) => ({
  id,
  node_id: nodeId('Environment', id),
  name,
  url: environmentUrl(urls, name),
  html_url: `${urls.html}/deployments/activity_log?environments_filter=${encodeURIComponent(name)}`,
});

/** Presents a page of environments. Rules that consult apps have their own lists. */
export async function presentEnvironments(
  scope: Scope,
  urls: RepositoryUrls,
  rows: readonly EnvironmentRow[],
): Promise<Environment[]> {
  const { db } = scope;
  const ids = gather(rows, 'id');
  const [rules, reviewers] = await Promise.all([loadRules(db, ids), loadReviewers(db, ids)]);
  const present = await reviewerPresenter(scope, reviewers);
  const rulesOf = grouped(rules, ({ environment_id }) => environment_id);
  const reviewersOf = grouped(reviewers, ({ environment_id }) => environment_id);
  return rows.map((row) => ({
    ...presentNamedEnvironment(urls, row),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    protection_rules: (rulesOf.get(row.id) ?? []).flatMap((rule) =>
      presentRule(rule, () => (reviewersOf.get(row.id) ?? []).flatMap(present)),
    ),
    deployment_branch_policy:
      row.deploys === 'all'
        ? null
        : { protected_branches: row.deploys === 'protected', custom_branch_policies: row.deploys === 'custom' },
    can_admins_bypass: row.admins_bypass,
  }));
}

export const presentEnvironment = async (scope: Scope, urls: RepositoryUrls, row: EnvironmentRow): Promise<Environment> =>
  firstOrNotFound(await presentEnvironments(scope, urls, [row]));

/** The reviewers of environments that the viewer may see. */
export async function presentReviewers(
  scope: Scope,
  ids: readonly EnvironmentRow['id'][],
): Promise<(id: EnvironmentRow['id']) => EnvironmentReviewer[]> {
  const rows = await loadReviewers(scope.db, ids);
  const present = await reviewerPresenter(scope, rows);
  const byEnvironment = grouped(rows, ({ environment_id }) => environment_id);
  return (id) => (byEnvironment.get(id) ?? []).flatMap(present);
}

/** Loads users, and the teams that the viewer may see. */
async function reviewerPresenter(
  scope: Scope,
  rows: readonly ReviewerRow[],
): Promise<(row: ReviewerRow) => EnvironmentReviewer[]> {
  const { db, links, viewer } = scope;
  const ids = gather(rows, 'team_id').flatMap((id) => id ?? []);
  const [users, seen] = await Promise.all([
    loadAccounts(db, gather(rows, 'user_id')),
    viewer === everybody ? loadTeams(db, ids) : loadVisibleTeams(db, viewer, ids),
  ]);
  const teams = keyed(await presentTeams(scope, [...seen.values()]), ({ id }) => id);
  return ({ user_id, team_id }) => {
    const [user, team] = [getOptional(users, user_id), getOptional(teams, team_id as number | null)];
    if (user) return [{ type: 'User', reviewer: presentUser(links, user) }];
    return team ? [{ type: 'Team', reviewer: team }] : [];
  };
}

function presentRule(rule: RuleRow, reviewers: () => EnvironmentReviewer[]): EnvironmentRule[] {
  const { id, type } = rule;
  const known = { id, node_id: nodeId('EnvironmentRule', id) };
  if (type === 'wait_timer') return [{ ...known, type, wait_timer: rule.wait_minutes ?? 0 }];
  if (type === 'required_reviewers')
    return [{ ...known, type, prevent_self_review: rule.prevent_self_review === true, reviewers: reviewers() }];
  return type === 'branch_policy' ? [{ ...known, type }] : [];
}

export const presentBranchPolicy = ({ id, name, type }: BranchPolicyRow): DeploymentBranchPolicy => ({
  id,
  node_id: nodeId('EnvironmentBranchPolicy', id),
  name,
  type,
});

export const presentRuleApp = (links: Links, { id, slug }: RuleApp): DeploymentRuleApp => ({
  id,
  slug,
  integration_url: path(`${links.api}/apps`, slug),
  node_id: nodeId('App', id),
});

export const presentProtectionRule = (links: Links, { id, app_id, slug }: CustomRule): DeploymentProtectionRule => ({
  id,
  node_id: nodeId('EnvironmentRule', id),
  enabled: true,
  app: presentRuleApp(links, { id: app_id, slug }),
});
