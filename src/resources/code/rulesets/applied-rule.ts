// Rules as they apply to one ref or repository and one actor. Rules of rulesets and of branch protection become the same.
import type { Id } from '#lib/id.ts';
import type { RefRule, RepositoryRule } from './rule-types.ts';

/**
 * What a rule comes from. `id` is that of the ruleset, of the branch protection, or of the repository whose pushes are protected
 * or whose merge queues have branches.
 */
export type RuleSource = {
  readonly type: 'Repository' | 'Organization' | 'ProtectedBranch' | 'PushProtection' | 'MergeQueue';
  readonly id: number;
  readonly name: string;
};

/**
 * Whether an actor needs to keep a rule. `exempt`: it isn't asked. `always`: breaking it is recorded, and allowed.
 * `pull_request`: the same, for merges of pull requests alone.
 */
export type Bypass = 'never' | 'pull_request' | 'always' | 'exempt';

/** A rule of branch protection that rulesets have as a part of another rule. */
type ProtectionRule = { readonly type: 'required_conversation_resolution' };

/** No secrets come into the repository. */
type SecretsRule = { readonly type: 'secret_scanning_push_protection' };

/** Nobody but the server writes the branches of merge queues. */
type QueueBranchRule = { readonly type: 'merge_queue_branch' };

/** Repositories keep their names. It is a condition of the ruleset, and not one of its rules. */
type ProtectedNameRule = { readonly type: 'repository_name_protected' };

/** A rule with what it comes from, and how it applies to an actor. */
export type Applied<Rule extends { readonly type: string }> = {
  readonly rule: Rule;
  readonly source: RuleSource;
  /** `evaluate`: its result is recorded, and refuses nothing. */
  readonly enforcement: 'active' | 'evaluate';
  readonly bypass: Bypass;
};

/** A rule about refs. */
export type AppliedRule = Applied<RefRule | ProtectionRule | SecretsRule | QueueBranchRule>;

/** A rule about repositories themselves. */
export type AppliedRepositoryRule = Applied<RepositoryRule | ProtectedNameRule>;

/** What decides whether an actor may bypass rules of a repository. A deploy key has no account. */
export type ActorFacts = {
  readonly account: Id<'accounts'> | undefined;
  /** The level of its role in the repository (`roleLevel`); 0 for none. */
  readonly level: number;
  /** Whether it owns the organization of the repository. */
  readonly isOwner: boolean;
  /** Its teams, with the parents of these. */
  readonly teams: ReadonlySet<Id<'teams'>>;
  /** The app whose bot it is. */
  readonly app: Id<'apps'> | undefined;
  readonly isDeployKey: boolean;
};

/** The repository whose refs move, as rules know it. */
export type RuledRepository = {
  readonly id: Id<'repositories'>;
  readonly owner_id: Id<'accounts'>;
  readonly name: string;
  readonly default_branch: string;
  readonly secret_scanning: boolean;
  readonly secret_scanning_push_protection: boolean;
};
