// Changes of repositories that rules of their organizations are about. The rules belong to a product that comes later, so the
// family `repository-rules` evaluates them, as a service that is declared here.
import type { Account, Repo, RepositoryRow, SignedIn } from '#access/viewer.ts';
import type { Needs, WriteScope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import type { FirstValues } from '#resources/repositories/custom-properties/index.ts';

type RuledState = Pick<RepositoryRow, 'name' | 'visibility'>;

/** A repository that an account would get, by creation or by transfer. */
type Arrival = RuledState & {
  readonly kind: 'create';
  /** With the role of whoever makes the change. */
  readonly owner: Account & { readonly role?: string | undefined };
  readonly isFork: boolean;
  readonly language: string | null;
  readonly properties?: FirstValues | undefined;
};

/** A change of the name or visibility, with their new values. What is left out stays. */
type Update = Partial<RuledState> & { readonly kind: 'update'; readonly repo: Repo };

type Departure = { readonly kind: 'transfer' | 'delete'; readonly repo: Repo };

/** A change that rules may be about. A transfer is a departure from one account, and an arrival at the other. */
export type RuledChange = Arrival | Update | Departure;

/**
 * Who makes a change. With `onBypass`, as for an operator's command, rules refuse nothing: it gets a line for each rule that the
 * change violates.
 */
export type RuledActor = { readonly by: SignedIn; readonly onBypass?: ((lines: readonly string[]) => void) | undefined };

declare const approved: unique symbol;

/**
 * Shows that a change was evaluated by the rules, or is exempt. The statements that make such changes require it, so none can be
 * made without. `record` stores the results, in the transaction of the change.
 */
export type RuleApproval = {
  readonly [approved]: true;
  record(scope: WriteScope, repository: Id<'repositories'>): Promise<void>;
};

export const approvalWith = (record: RuleApproval['record']): RuleApproval => ({ record }) as RuleApproval; // makes the only ones

const exemptions = {
  privateFork:
    'A private fork of a security advisory is made and removed with the advisory, and only those who work on it see it.',
  deletedOwner: 'The deletion of the organization was evaluated, for all of its repositories.',
  lostFork: 'It belongs to a user, whose repositories have no such rules.',
} as const;

/** The approval of a change that rules aren't about, for one of the known reasons. */
export const exemptAs = (_reason: keyof typeof exemptions): RuleApproval => approvalWith(async () => undefined);

/** Evaluates the rules of organizations about their repositories. */
export type RepositoryRules = {
  /** @throws RecordedRefusal if a rule refuses the change */
  evaluate(scope: WriteScope, actor: RuledActor, change: RuledChange): Promise<RuleApproval>;
};

declare module '#endpoint/services.ts' {
  interface FamilyServices {
    readonly repositoryRules: RepositoryRules;
  }
}

/** The scope of a change that creates, renames, transfers or deletes repositories, or changes their visibility. */
export type RuledScope = WriteScope & Needs<'repositoryRules'>;

/** Evaluates the rules about a change. @throws RecordedRefusal if a rule refuses it */
export const evaluateRules = (scope: RuledScope, actor: RuledActor, change: RuledChange): Promise<RuleApproval> =>
  scope.services.repositoryRules.evaluate(scope, actor, change);
