// Who may bypass a ruleset, and how its rules hold for an actor.
import { type Role, roleLevel } from '#access/roles.ts';
import type { Repo, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { ActorFacts, Applied, AppliedRepositoryRule, AppliedRule, Bypass } from './applied-rule.ts';
import type { BypassActor } from './schemas.ts';
import { findMemberFacts, type RefRuleset, type RepositoryRuleset, type RulesetRow } from './store.ts';

/** The public API's ids of repository roles. */
export const rolesById: ReadonlyMap<number, Role> = new Map([
  [1, 'read'],
  [2, 'maintain'],
  [3, 'triage'],
  [4, 'write'],
  [5, 'admin'],
]);

/** Weakest first. */
const strengths: readonly Bypass[] = ['never', 'pull_request', 'always', 'exempt'];

/** Whether an actor is meant. A deploy key acts for nobody, so that it is meant only where deploy keys are. */
function isMeant({ actor_type, actor_id }: BypassActor, facts: ActorFacts): boolean {
  if (facts.isDeployKey || actor_type === 'DeployKey') return facts.isDeployKey && actor_type === 'DeployKey';
  if (actor_type === 'OrganizationAdmin') return facts.isOwner;
  if (actor_id === null) return false;
  if (actor_type === 'Integration') return facts.app === actor_id;
  if (actor_type === 'User') return facts.account === actor_id;
  if (actor_type === 'Team') return (facts.teams as ReadonlySet<number>).has(actor_id);
  const role = rolesById.get(actor_id);
  return role !== undefined && facts.level >= roleLevel(role);
}

/** The strongest way in which an actor may bypass a ruleset. */
export function bypassOf({ bypass_actors }: Pick<RulesetRow, 'bypass_actors'>, facts: ActorFacts): Bypass {
  const modes = bypass_actors.filter((actor) => isMeant(actor, facts)).map(({ bypass_mode }) => strengths.indexOf(bypass_mode));
  return strengths[Math.max(0, ...modes)] ?? 'never';
}

/** Some rules of a ruleset as they hold for an actor; none if it is disabled. */
function applied<Rule extends { readonly type: string }>(
  row: RulesetRow,
  facts: ActorFacts,
  rules: readonly Rule[],
): Applied<Rule>[] {
  const { id, name, enforcement, organization_id } = row;
  if (enforcement === 'disabled') return [];
  const source = { type: organization_id === null ? 'Repository' : 'Organization', id, name } as const;
  const bypass = bypassOf(row, facts);
  return rules.map((rule) => ({ rule, source, enforcement, bypass }));
}

/** The rules of a ruleset about refs as they hold for an actor; none if it is disabled. */
export const appliedRulesOf = (row: RefRuleset, facts: ActorFacts): AppliedRule[] => applied(row, facts, row.rules);

/** The rules of a ruleset about repositories themselves as they hold for an actor, with the condition that names are kept. */
export const appliedRepositoryRulesOf = (row: RepositoryRuleset, facts: ActorFacts): AppliedRepositoryRule[] =>
  applied(row, facts, [
    ...row.repositoryRules,
    ...(row.conditions.repository_name?.protected ? [{ type: 'repository_name_protected' } as const] : []),
  ]);

/** What decides whether a viewer may bypass rules of a repository, in one statement. */
export async function loadActorFacts(
  db: Db,
  { account, grant }: Viewer,
  { owner_id, role }: Pick<Repo, 'owner_id' | 'role'>,
): Promise<ActorFacts> {
  const { isOwner, teams } = account ? await findMemberFacts(db, owner_id, account.id) : { isOwner: false, teams: [] };
  return {
    account: account?.id,
    level: grant.kind === 'installation' ? 0 : roleLevel(role),
    isOwner,
    teams: new Set(teams),
    app: grant.kind === 'installation' ? grant.appId : undefined,
    isDeployKey: false,
  };
}
