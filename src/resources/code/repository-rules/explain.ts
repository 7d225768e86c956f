import type { Account, Repo, Viewer } from '#access/viewer.ts';
import type { Scope } from '#endpoint/scope.ts';
import { orNotFound } from '#lib/refusal.ts';
import { explainEvaluation, type RuleExplanation } from '#resources/code/ref-rules/index.ts';
import { loadRepositoryRulesets, type RepositoryFacts, type RepositoryRuleset } from '#resources/code/rulesets/index.ts';
import { evaluateAll, loadFacts, type RepositoryEvaluation } from './evaluate.ts';
import { applyToAnyState, type ChangeKind } from './evaluators.ts';

/** A repository of an organization, or one that somebody wants to create there. */
type Explained = { readonly owner: Account } & (
  | { readonly repo: Repo }
  | {
      readonly name: string;
      readonly visibility: RepositoryFacts['visibility'];
      readonly role: Repo['role'];
    }
);

/**
 * What each rule of an organization about a repository says: whether the viewer could rename, transfer and delete it, and whether
 * its present name and visibility are allowed; for a repository that doesn't exist, whether the viewer could create it.
 */
export async function explainRepositoryRules(scope: Scope, viewer: Viewer, explained: Explained): Promise<RuleExplanation[]> {
  const { owner } = explained;
  const subject = 'repo' in explained ? { id: explained.repo.id } : { ...explained, fork: false, language: null };
  const rulesets = await loadRepositoryRulesets(scope.db, owner.id, subject);
  const [first] = rulesets;
  if (!first) return [];
  const actor = await loadFacts(scope, viewer, owner, 'repo' in explained ? explained.repo.role : explained.role);
  const facts = orNotFound(first.facts ?? undefined);
  const evaluate = (kind: ChangeKind) => evaluateAll(rulesets, actor, kind, { before: facts, after: facts });
  const evaluations =
    'repo' in explained
      ? [
          ...evaluate('create').filter(({ applied }) => applyToAnyState.includes(applied.rule.type)),
          ...evaluateAll(rulesets, actor, 'update', { before: facts, after: { ...facts, name: `${facts.name}-renamed` } }).filter(
            ({ applied }) => applied.rule.type === 'repository_name_protected',
          ),
          ...evaluate('transfer'),
          ...evaluate('delete'),
        ]
      : evaluate('create');
  return evaluations.map((one) => withCondition(explainEvaluation(one), one, rulesets));
}

const conditionWords = {
  repository_name: 'its name',
  repository_id: 'its id',
  repository_property: 'its properties',
} as const;

/** The explanation with the reason why the ruleset applies. */
function withCondition(
  { because, ...rest }: RuleExplanation,
  { applied }: RepositoryEvaluation,
  rulesets: readonly RepositoryRuleset[],
): RuleExplanation {
  const conditions = rulesets.find(({ id }) => id === applied.source.id)?.conditions ?? {};
  const words = Object.entries(conditionWords).flatMap(([name, word]) => (Object.hasOwn(conditions, name) ? [word] : []));
  return { ...rest, because: `${because} (the ruleset applies by ${words.join(' and ')})` };
}
