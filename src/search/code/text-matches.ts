import type { GitStore } from '#git/repo.ts';
import { split } from '#search/query/filters.ts';
import type { Node } from '#search/query/tree.ts';
import type { Budget } from '#search/result.ts';
import { wantedWords } from '#search/terms.ts';
import { findMatches, type Wanted } from '#search/text-match/find.ts';
import { cutFragments, type TextMatch, wholeFragment } from '#search/text-match/fragments.ts';
import { placesOf } from './filters.ts';
import type { CodeHit } from './hits.ts';
import { readPortions } from './read-texts.ts';
import { type Places, requireTerms } from './terms.ts';

const mostFragments = 3;
const mostMatches = 40;

export type CodeMatching = { query: Node; hits: readonly CodeHit[]; budget?: Budget };

/**
 * Document 1, rule 11: where the content and the path of each hit match, for the hits of a page and in their order. When the
 * budget ends, the last hits are missing.
 */
export async function codeTextMatches(git: GitStore, { query, hits, budget }: CodeMatching): Promise<TextMatch[][]> {
  const { terms, filters } = split(query);
  const places = placesOf(filters);
  const wanted = wantedWords(requireTerms(terms));
  const found: TextMatch[][] = [];
  for await (const { files, texts } of readPortions(git, hits, places)) {
    if (found.length > 0 && budget?.left() === 0) break;
    for (const { path, blobOid } of files) found.push(matchesIn({ path, text: texts.get(blobOid) ?? '' }, wanted, places));
  }
  return found;
}

function matchesIn({ path, text }: { path: string; text: string }, wanted: readonly Wanted[], places: Places): TextMatch[] {
  const inText = cutFragments(text, findMatches(text, wanted, mostMatches), mostFragments);
  const inPath = places.path ? findMatches(path, wanted, mostMatches) : [];
  return [
    ...inText.map((fragment) => ({ property: 'content', ...fragment })),
    ...(inPath.length > 0 ? [{ property: 'path', ...wholeFragment(path, inPath) }] : []),
  ];
}
