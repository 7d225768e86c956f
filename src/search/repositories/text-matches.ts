import { turnEach } from '#search/look-through.ts';
import { split } from '#search/query/filters.ts';
import type { Node } from '#search/query/tree.ts';
import type { Budget } from '#search/result.ts';
import type { Steps } from '#search/slices.ts';
import { analyseTree, wantedWords } from '#search/terms.ts';
import { findMatches } from '#search/text-match/find.ts';
import { cutFragments, type TextMatch, wholeFragment } from '#search/text-match/fragments.ts';
import { placesOf } from './filters.ts';
import type { RepositoryHit } from './search.ts';

const maxFragments = 3;
const maxMatches = 40;

export type RepositoryMatching = { query: Node; hits: readonly RepositoryHit[]; budget: Pick<Budget, 'left'> };

/**
 * Document 1, rule 11: where the name and the description of each hit match, in the order of the hits. When the budget ends, the last
 * hits are missing.
 */
export async function repositoryTextMatches({ query, hits, budget }: RepositoryMatching): Promise<TextMatch[][]> {
  const { terms, filters } = split(query);
  const analysed = terms && analyseTree(terms);
  if (!analysed) return hits.map(() => []);
  const wanted = wantedWords(analysed);
  const places = placesOf(filters);
  return turnEach(hits, budget, function* matches({ name, description }): Steps<TextMatch[]> {
    const inName = places.includes('name') ? yield* findMatches(name, wanted, maxMatches) : [];
    const about = places.includes('description') ? (description ?? '') : '';
    const inAbout = cutFragments(about, yield* findMatches(about, wanted, maxMatches), maxFragments);
    return [
      ...(inName.length > 0 ? [{ property: 'name', ...wholeFragment(name, inName) }] : []),
      ...inAbout.map((fragment) => ({ property: 'description', ...fragment })),
    ];
  });
}
