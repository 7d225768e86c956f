// Evaluates the rules of an organization about a change of one of its repositories, before anything is written.
import type { Account, Repo, Viewer } from '#access/viewer.ts';
import { RecordedRefusal } from '#endpoint/recorded-refusal.ts';
import type { Scope, WriteScope } from '#endpoint/scope.ts';
import { stepsOfWork } from '#lib/pattern-steps.ts';
import { orNotFound } from '#lib/refusal.ts';
import {
  bypassedLines,
  type Evaluation,
  insertRepositorySuites,
  type RepositorySuite,
  refusalMessage,
  resultOf,
} from '#resources/code/ref-rules/index.ts';
import {
  type ActorFacts,
  type AppliedRepositoryRule,
  appliedRepositoryRulesOf,
  loadActorFacts,
  loadRepositoryRulesets,
  matchesRepository,
  type RepositoryFacts,
  type RepositoryRuleset,
} from '#resources/code/rulesets/index.ts';
import {
  approvalWith,
  lockRepository,
  type RepositoryRules,
  type RuleApproval,
  type RuledActor,
  type RuledChange,
} from '#resources/repositories/repositories/index.ts';
import { type ChangeKind, type EvaluatedChange, evaluateRule } from './evaluators.ts';

export type RepositoryEvaluation = Evaluation<AppliedRepositoryRule>;

/** What rules need of a change: the facts about the repository before and after it. */
type Facts = { readonly before?: RepositoryFacts; readonly after?: RepositoryFacts };

/** The organization whose rules are about a change; undefined for a user's repositories. */
const ruledOwner = (change: RuledChange): Account | undefined => {
  const owner = change.kind === 'create' ? change.owner : change.repo.owner;
  return owner.kind === 'organization' ? owner : undefined;
};

const evaluatedChange = (kind: ChangeKind, { before, after }: Facts, appliedBefore: boolean): EvaluatedChange | undefined => {
  if (kind === 'create') return after && { kind, after, appliedBefore };
  if (kind === 'update') return before && after && { kind, before, after, appliedBefore };
  return before && { kind, before, appliedBefore };
};

/** The evaluations of all rules about a change that aren't exempting the actor. */
export function evaluateAll(
  rulesets: readonly RepositoryRuleset[],
  actor: ActorFacts,
  kind: ChangeKind,
  facts: Facts,
): RepositoryEvaluation[] {
  const work = stepsOfWork();
  return rulesets.flatMap((row) => {
    const appliedBefore = facts.before !== undefined && matchesRepository(row.conditions, facts.before, work);
    const appliesAfter = facts.after !== undefined && matchesRepository(row.conditions, facts.after, work);
    const change = evaluatedChange(kind, facts, appliedBefore);
    if (!change || !(appliedBefore || appliesAfter)) return [];
    return appliedRepositoryRulesOf(row, actor).flatMap((applied): RepositoryEvaluation[] => {
      const evaluated = applied.bypass === 'exempt' ? undefined : evaluateRule(applied.rule, change);
      if (!evaluated) return [];
      const { violation } = evaluated;
      const isBypassed = violation !== undefined && applied.bypass === 'always';
      return [{ applied, violation, isPending: false, isBypassed }];
    });
  });
}

/** The facts about a repository that an organization would get: its properties have the given values, or their defaults. */
function arrivingFacts(found: RepositoryFacts, { properties = {} }: Extract<RuledChange, { kind: 'create' }>): RepositoryFacts {
  const given = Object.entries(properties).flatMap(([name, value]) =>
    value === null ? [] : [[name.toLowerCase(), Array.isArray(value) ? value : [value]] as const],
  );
  return { ...found, custom: { ...found.custom, ...Object.fromEntries(given) } };
}

function factsOf(change: RuledChange, found: RepositoryFacts): Facts {
  if (change.kind === 'create') return { after: arrivingFacts(found, change) };
  if (change.kind !== 'update') return { before: found };
  const { name = found.name, visibility = found.visibility } = change;
  return { before: found, after: { ...found, name, visibility } };
}

/** What decides whether somebody may bypass rules. */
export const loadFacts = (scope: Scope, by: Viewer, owner: Account, role: Repo['role']): Promise<ActorFacts> =>
  loadActorFacts(scope.db, by, { owner_id: owner.id, role });

/** An owner of the organization administers its new repositories. */
const roleIn = (change: RuledChange): Repo['role'] =>
  change.kind === 'create' ? (change.owner.role === 'owner' ? 'admin' : undefined) : change.repo.role;

/** The rules of an organization about a change, evaluated for an actor. */
async function evaluateChange(scope: Scope, by: Viewer, owner: Account, change: RuledChange): Promise<RepositoryEvaluation[]> {
  const subject = change.kind === 'create' ? { ...change, fork: change.isFork } : { id: change.repo.id };
  const rulesets = await loadRepositoryRulesets(scope.db, owner.id, subject);
  const [first] = rulesets;
  if (!first) return [];
  const facts = factsOf(change, orNotFound(first.facts ?? undefined));
  const actor = await loadFacts(scope, by, owner, roleIn(change));
  return evaluateAll(rulesets, actor, change.kind, facts);
}

const nameOf = (change: RuledChange): string => (change.kind === 'create' ? change.name : change.repo.name);

/** Locks the repository, so that of concurrent changes the later one is evaluated for what the earlier one made of it. */
const lockSubject = ({ tx }: WriteScope, change: RuledChange) =>
  change.kind === 'create' ? undefined : lockRepository(tx, change.repo.id);

const nothingToRecord = approvalWith(async () => undefined);

async function evaluate(scope: WriteScope, { by, onBypass }: RuledActor, change: RuledChange): Promise<RuleApproval> {
  const owner = ruledOwner(change);
  if (!owner) return nothingToRecord;
  // Statements of a transaction run in the order in which they are sent, so the facts can't change any more.
  const [, found] = await Promise.all([lockSubject(scope, change), evaluateChange(scope, by, owner, change)]);
  if (found.length === 0) return nothingToRecord;
  const evaluations = onBypass ? found.map((one) => ({ ...one, isBypassed: one.violation !== undefined })) : found;
  const bypassed = bypassedLines(evaluations);
  if (bypassed.length > 0) onBypass?.([`Bypassed rule violations for ${owner.login}/${nameOf(change)}:`, ...bypassed]);
  const result = resultOf(evaluations);
  const subject = change.kind === 'create' ? undefined : change.repo.id;
  const name = nameOf(change);
  const suite = { organization: owner.id, subject, name, change: change.kind, actor: by.account.id, result, evaluations };
  if (result === 'fail') throw refusal(`${owner.login}/${name}`, suite);
  return approvalWith((scope, repository) =>
    insertRepositorySuites(scope.tx, [{ ...suite, subject: repository, at: scope.now }]),
  );
}

const refusal = (name: string, suite: Omit<RepositorySuite, 'at'>): RecordedRefusal =>
  new RecordedRefusal('forbidden', refusalMessage(name, suite.evaluations), (scope) =>
    insertRepositorySuites(scope.tx, [{ ...suite, at: scope.now }]),
  );

export const makeRepositoryRules = (): RepositoryRules => ({ evaluate });
