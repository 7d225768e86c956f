// What rules about repositories themselves say of a change, from names and visibilities alone.
import { type AppliedRepositoryRule, demandOf, matchesPattern, type RepositoryFacts } from '#resources/code/rulesets/index.ts';

type Rule = AppliedRepositoryRule['rule'];
type RuleType = Rule['type'];
type RuleOfType<Type extends RuleType> = Extract<Rule, { readonly type: Type }>;

type State = Pick<RepositoryFacts, 'name' | 'visibility'>;

/**
 * A change as a rule sees it. `create` is also a transfer into the organization, and `transfer` one out of it. `appliedBefore`:
 * whether the conditions of its ruleset match the repository before the change.
 */
export type EvaluatedChange = { readonly appliedBefore: boolean } & (
  | { readonly kind: 'create'; readonly after: State }
  | { readonly kind: 'update'; readonly before: State; readonly after: State }
  | { readonly kind: 'transfer' | 'delete'; readonly before: State }
);
export type ChangeKind = EvaluatedChange['kind'];

/** Returns undefined for a change that the rule isn't about, and otherwise whether it is violated, and how. */
type Evaluator<Type extends RuleType> = (
  rule: RuleOfType<Type>,
  change: EvaluatedChange,
) => undefined | { readonly violation: string | undefined };

const forbids = (kind: ChangeKind, violation: string) => (_rule: Rule, change: EvaluatedChange) =>
  change.kind === kind ? { violation } : undefined;

/** The state that a rule about names or visibilities is about: a new value, or any value if the ruleset didn't apply before. */
function newState(change: EvaluatedChange, field: keyof State): State | undefined {
  if (change.kind === 'create') return change.after;
  if (change.kind !== 'update') return undefined;
  return change.before[field] !== change.after[field] || !change.appliedBefore ? change.after : undefined;
}

const listed = (words: readonly string[]): string => words.join(' or ');

const evaluators: { readonly [Type in RuleType]: Evaluator<Type> } = {
  repository_create: forbids('create', 'Creating repositories is restricted.'),
  repository_delete: forbids('delete', 'Deleting repositories is restricted.'),
  repository_transfer: forbids('transfer', 'Transferring repositories is restricted.'),
  repository_name({ parameters }, change) {
    const state = newState(change, 'name');
    if (!state) return undefined;
    const { name } = state;
    return { violation: matchesPattern(parameters, name) ? undefined : `Names of repositories ${demandOf(parameters)}: ${name}` };
  },
  repository_visibility({ parameters: { allowed_visibilities } }, change) {
    const state = newState(change, 'visibility');
    if (!state) return undefined;
    const isAllowed = (allowed_visibilities as readonly string[]).includes(state.visibility);
    return {
      violation: isAllowed ? undefined : `Repositories must be ${listed(allowed_visibilities)}, not ${state.visibility}.`,
    };
  },
  repository_name_protected: (_rule, change) =>
    change.kind === 'update' && change.appliedBefore && change.before.name !== change.after.name
      ? { violation: 'Renaming repositories is restricted.' }
      : undefined,
};

/** The rules that are about a state, and not about the change to it. */
export const applyToAnyState: readonly RuleType[] = ['repository_name', 'repository_visibility'];

/** Evaluates one rule. */
export const evaluateRule = (rule: Rule, change: EvaluatedChange): ReturnType<Evaluator<RuleType>> =>
  (evaluators[rule.type] as Evaluator<RuleType>)(rule, change); // the evaluator of the rule's own type
