// Translates a branch protection to rules, with their exemptions.
import { roleLevel } from '#access/roles.ts';
import type { ActorFacts, AppliedRule, Bypass, RuleSource } from '#resources/code/rulesets/index.ts';
import type { Actor, ActorList, ProtectionRow } from './store.ts';

const isMeant = ({ user_id, team_id, app_id }: Actor, { account, teams, app }: ActorFacts): boolean =>
  (user_id !== null && user_id === account) || (team_id !== null && teams.has(team_id)) || (app_id !== null && app_id === app);

/**
 * The rules of a protection for one actor. Force pushes and deletions are refused to everybody unless they are allowed. All
 * other rules exempt administrators, unless the protection is enforced for them too, and exempt the actors on the list of each
 * rule.
 */
export function appliedRulesOf(row: ProtectionRow, facts: ActorFacts): AppliedRule[] {
  const source: RuleSource = { type: 'ProtectedBranch', id: row.id, name: row.branch };
  const administers = facts.isOwner || facts.level >= roleLevel('admin');
  const others: Bypass = administers && !row.enforce_admins ? 'always' : 'never';
  const besides = (list: ActorList): Bypass =>
    row.actors.some((actor) => actor.list === list && isMeant(actor, facts)) ? 'always' : others;
  const rule = (wanted: boolean, rule: AppliedRule['rule'], bypass: Bypass = others): AppliedRule[] =>
    wanted ? [{ rule, source, enforcement: 'active', bypass }] : [];
  return [
    ...rule(!row.allow_force_pushes, { type: 'non_fast_forward' }, 'never'),
    ...rule(!row.allow_deletions, { type: 'deletion' }, 'never'),
    ...rule(row.restricts_pushes, { type: 'update' }, besides('push')),
    ...rule(row.restricts_pushes && row.block_creations, { type: 'creation' }, besides('push')),
    ...rule(row.lock_branch, { type: 'update', parameters: { update_allows_fetch_and_merge: row.allow_fork_syncing } }),
    ...rule(row.required_linear_history, { type: 'required_linear_history' }),
    ...rule(row.required_signatures, { type: 'required_signatures' }),
    ...rule(row.required_conversation_resolution, { type: 'required_conversation_resolution' }),
    ...(row.reviews ? rule(true, pullRequestRule(row, row.reviews), besides('bypass')) : []),
    ...(row.status_checks ? rule(true, statusChecksRule(row.status_checks)) : []),
  ];
}

const pullRequestRule = ({ actors }: ProtectionRow, reviews: NonNullable<ProtectionRow['reviews']>): AppliedRule['rule'] => ({
  type: 'pull_request',
  parameters: {
    dismiss_stale_reviews_on_push: reviews.dismiss_stale_reviews,
    require_code_owner_review: reviews.require_code_owner_reviews,
    require_last_push_approval: reviews.require_last_push_approval,
    required_approving_review_count: reviews.required_approving_review_count,
    required_review_thread_resolution: false,
    dismissal_restriction: {
      enabled: reviews.restricts_dismissals,
      allowed_actors: actors.filter(({ list }) => list === 'dismissal').map(ruleActor),
    },
  },
});

function ruleActor({ user_id, team_id, app_id }: Actor) {
  if (user_id !== null) return { type: 'User', id: user_id } as const;
  return team_id === null
    ? ({ type: 'IntegrationInstallation', id: app_id ?? 0 } as const)
    : ({ type: 'Team', id: team_id } as const);
}

const statusChecksRule = ({ strict, checks }: NonNullable<ProtectionRow['status_checks']>): AppliedRule['rule'] => ({
  type: 'required_status_checks',
  parameters: {
    do_not_enforce_on_create: true,
    strict_required_status_checks_policy: strict,
    required_status_checks: checks.map(({ context, app_id }) => ({ context, integration_id: app_id })),
  },
});
