// What those ask who make runs, give jobs to runners and keep artifacts: everything that holds for one repository.
import type { Db } from '#database/connect.ts';
import type { UsedAction } from './action-patterns.ts';
import { type ActionRule, actionListOf, refusalOfAction } from './allowed-actions.ts';
import { loadRepository, type RepositoryInForce } from './load.ts';
import type { Settings } from './settings.ts';

/** The settings that hold for a repository, of its organization and its own. Durations are in days. */
export type ActionsPolicy = {
  /** Whether workflows run at all. */
  readonly enabled: boolean;
  /** Whether a workflow may use an action, a reusable workflow or an image; a `reason` is a sentence without a full stop. */
  readonly allowsAction: (used: UsedAction) => true | { readonly reason: string };
  /** Whether actions must be named by a full SHA. `allowsAction` refuses others. */
  readonly shaPinningRequired: boolean;
  /** What the token of a job may do in the repository where its workflow doesn't say. */
  readonly defaultTokenPermissions: 'read' | 'write';
  /** Whether the token of a job may open and approve pull requests. */
  readonly canApprovePullRequests: boolean;
  /** How long artifacts and logs are kept. */
  readonly retentionDays: number;
  /** Whose pull requests from forks wait for an approval. */
  readonly forkApproval: Settings['approval_policy'];
  /** Pull requests from forks of a private repository. Without `runs`, no other of these is true but `requiresApproval`. */
  readonly forkPrivate: {
    readonly runs: boolean;
    readonly writeTokens: boolean;
    readonly secrets: boolean;
    readonly requiresApproval: boolean;
  };
  /** For a private repository: which repositories' workflows may use its actions and workflows. */
  readonly accessLevel: 'none' | 'user' | 'organization';
  /** Whether it may have self-hosted runners of its own. */
  readonly selfHostedRunnersAllowed: boolean;
  /** How long a cache is kept that nobody uses. */
  readonly cacheRetentionDays: number;
  /** The size of all its caches together. */
  readonly cacheStorageBytes: number;
};

const gibi = 1024 ** 3;

/** Loads what holds for a repository, by two statements that are sent together. @throws Refusal 404 if its owner is gone */
export async function loadActionsPolicy(db: Db, repository: Parameters<typeof loadRepository>[1]): Promise<ActionsPolicy> {
  return policyOf(await loadRepository(db, repository));
}

function policyOf(inForce: RepositoryInForce): ActionsPolicy {
  const { settings, owner } = inForce;
  let rules: ActionRule[] | undefined; // of up to 1,000 patterns, which most callers don't ask about
  const runs = settings.run_workflows_from_fork_pull_requests;
  return {
    enabled: inForce.isEnabled,
    allowsAction(used) {
      rules ??= actionRules(inForce);
      const reason = refusalOfAction(rules, { owner: owner.login, isPinningRequired: settings.sha_pinning_required }, used);
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

/** The rules of the organization and of the repository itself. An action must be allowed by both. */
function actionRules({ organization, ownAllowedActions, selected }: RepositoryInForce): ActionRule[] {
  const own = { by: 'repository', allowed: ownAllowedActions ?? 'all', list: actionListOf(selected) } as const;
  if (!organization) return [own];
  const allowed = organization.settings.allowed_actions;
  return [{ by: 'organization', allowed, list: actionListOf(organization.selected) }, own];
}
