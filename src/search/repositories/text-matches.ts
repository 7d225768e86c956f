import { mapWithinBudget } from '#search/look-through.ts';
import { split } from '#search/query/filters.ts';
import type { Node } from '#search/query/tree.ts';
import type { Budget } from '#search/result.ts';
import type { Steps } from '#search/slices.ts';
import { analyseTree, includedWords } from '#search/terms.ts';
import { findMatches } from '#search/text-match/find.ts';
import { cutFragments, type TextMatch, wholeFragment } from '#search/text-match/fragments.ts';
import { searchedFieldsOf } from './filters.ts';
import type { RepositoryHit } from './search.ts';

const maxFragments = 3;
const maxMatches = 40;

export type RepositoryMatching = { query: Node; hits: readonly RepositoryHit[]; budget: Pick<Budget, 'left'> };

/**
 * The matches in the name and the description of each hit (document 1, rule 11), in the order of the hits. When the budget ends,
 * those of the last hits are missing.
 */
export async function repositoryTextMatches({ query, hits, budget }: RepositoryMatching): Promise<TextMatch[][]> {
  const { terms, filters } = split(query);
  const analysed = terms && analyseTree(terms);
  if (!analysed) return hits.map(() => []);
  const groups = includedWords(analysed);
  const searchedFields = searchedFieldsOf(filters);
  return mapWithinBudget(hits, budget, function* matches({ name, description }): Steps<TextMatch[]> {
    const inName = searchedFields.includes('name') ? yield* findMatches(name, groups, maxMatches) : [];
    const text = searchedFields.includes('description') ? (description ?? '') : '';
    const inDescription = cutFragments(text, yield* findMatches(text, groups, maxMatches), maxFragments);
    return [
      ...(inName.length > 0 ? [{ property: 'name', ...wholeFragment(name, inName) }] : []),
      ...inDescription.map((fragment) => ({ property: 'description', ...fragment })),
    ];
  });
}
