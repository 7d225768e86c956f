import { split } from '#search/query/filters.ts';
import type { Node } from '#search/query/tree.ts';
import { analyseTree, wantedWords } from '#search/terms.ts';
import { findMatches } from '#search/text-match/find.ts';
import { cutFragments, type TextMatch, wholeFragment } from '#search/text-match/fragments.ts';
import { placesOf } from './filters.ts';
import type { RepositoryHit } from './search.ts';

const mostFragments = 3;
const mostMatches = 40;

/** Document 1, rule 11: where the name and the description of each hit match, in the order of the hits. */
export function repositoryTextMatches(query: Node, hits: readonly RepositoryHit[]): TextMatch[][] {
  const { terms, filters } = split(query);
  const analysed = terms && analyseTree(terms);
  if (!analysed) return hits.map(() => []);
  const wanted = wantedWords(analysed);
  const places = placesOf(filters);
  return hits.map(({ name, description }) => {
    const inName = places.includes('name') ? findMatches(name, wanted, mostMatches) : [];
    const about = places.includes('description') ? (description ?? '') : '';
    return [
      ...(inName.length > 0 ? [{ property: 'name', ...wholeFragment(name, inName) }] : []),
      ...cutFragments(about, findMatches(about, wanted, mostMatches), mostFragments).map((fragment) => ({
        property: 'description',
        ...fragment,
      })),
    ];
  });
}
