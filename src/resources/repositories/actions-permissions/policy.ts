// The effective policy of a repository, for creating runs, giving jobs to runners and keeping artifacts.
import type { Db } from '#database/connect.ts';
import { stepsOfWork } from '#lib/pattern-steps.ts';
import type { UsedAction } from './action-patterns.ts';
import { type ActionRule, actionListOf, refusalOfAction } from './allowed-actions.ts';
import { loadRepository, type RepositoryInForce } from './load.ts';
import type { Settings } from './settings.ts';

/** The effective settings of a repository, from its organization and its own. Durations are in days. */
export type ActionsPolicy = {
  /** Whether workflows run at all. */
  readonly enabled: boolean;
  /** Whether a workflow may use an action, a reusable workflow or an image. `reason` is a sentence without a full stop. */
  readonly allowsAction: (used: UsedAction) => true | { readonly reason: string };
  /** Whether actions must be named by a full SHA. `allowsAction` refuses others. */
  readonly shaPinningRequired: boolean;
  /** The permissions of a job's token in the repository, if its workflow declares none. */
  readonly defaultTokenPermissions: 'read' | 'write';
  /** Whether the token of a job may open and approve pull requests. */
  readonly canApprovePullRequests: boolean;
  /** How long artifacts and logs are kept. */
  readonly retentionDays: number;
  /** The authors whose pull requests from forks need approval. */
  readonly forkApproval: Settings['approval_policy'];
  /** For pull requests from forks of a private repository. Without `runs`, only `requiresApproval` may be true. */
  readonly forkPrivate: {
    readonly runs: boolean;
    readonly writeTokens: boolean;
    readonly secrets: boolean;
    readonly requiresApproval: boolean;
  };
  /** For a private repository: the repositories whose workflows may use its actions and workflows. */
  readonly accessLevel: 'none' | 'user' | 'organization';
  /** Whether it may have self-hosted runners of its own. */
  readonly selfHostedRunnersAllowed: boolean;
  /** How long an unused cache is kept. */
  readonly cacheRetentionDays: number;
  /** The total size of its caches. */
  readonly cacheStorageBytes: number;
};

const gibi = 1024 ** 3;

/** Loads the policy of a repository, in two statements that are sent together. @throws Refusal 404 if its owner was deleted */
export async function loadActionsPolicy(db: Db, repository: Parameters<typeof loadRepository>[1]): Promise<ActionsPolicy> {
  return policyOf(await loadRepository(db, repository));
}

function policyOf(inForce: RepositoryInForce): ActionsPolicy {
  const { settings, owner } = inForce;
  let rules: ActionRule[] | undefined; // up to 1,000 patterns, which most callers don't need
  const work = stepsOfWork();
  const runs = settings.run_workflows_from_fork_pull_requests;
  return {
    enabled: inForce.isEnabled,
    allowsAction(used) {
      rules ??= actionRules(inForce);
      const policy = { owner: owner.login, isPinningRequired: settings.sha_pinning_required, work };
      const reason = refusalOfAction(rules, policy, used);
      return reason === undefined ? true : { reason };
    },
    shaPinningRequired: settings.sha_pinning_required,
    defaultTokenPermissions: settings.default_workflow_permissions,
    canApprovePullRequests: settings.can_approve_pull_request_reviews,
    retentionDays: settings.artifact_and_log_retention_days,
    forkApproval: settings.approval_policy,
    forkPrivate: {
      runs,
      writeTokens: runs && settings.send_write_tokens_to_workflows,
      secrets: runs && settings.send_secrets_and_variables,
      requiresApproval: settings.require_approval_for_fork_pr_workflows,
    },
    accessLevel: inForce.accessLevel,
    selfHostedRunnersAllowed: inForce.hasSelfHostedRunners,
    cacheRetentionDays: settings.max_cache_retention_days,
    cacheStorageBytes: settings.max_cache_size_gb * gibi,
  };
}

/** The rules of the organization and of the repository. Both must allow an action. */
function actionRules({ organization, ownAllowedActions, selected }: RepositoryInForce): ActionRule[] {
  const own = { by: 'repository', allowed: ownAllowedActions ?? 'all', list: actionListOf(selected) } as const;
  if (!organization) return [own];
  const allowed = organization.settings.allowed_actions;
  return [{ by: 'organization', allowed, list: actionListOf(organization.selected) }, own];
}
