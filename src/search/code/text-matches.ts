import type { GitStore } from '#git/repo.ts';
import { turnEach } from '#search/look-through.ts';
import { split } from '#search/query/filters.ts';
import type { Node } from '#search/query/tree.ts';
import type { Budget } from '#search/result.ts';
import type { Steps } from '#search/slices.ts';
import { wantedWords } from '#search/terms.ts';
import { findMatches, type Wanted } from '#search/text-match/find.ts';
import { cutFragments, type TextMatch, wholeFragment } from '#search/text-match/fragments.ts';
import { placesOf } from './filters.ts';
import type { CodeHit } from './hits.ts';
import { readPortions } from './read-texts.ts';
import { type Places, requireTerms } from './terms.ts';

const maxFragments = 3;
const maxMatches = 40;

export type CodeMatching = { query: Node; hits: readonly CodeHit[]; budget: Pick<Budget, 'left'> };

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
    const some = await turnEach(files, budget, ({ path, blobOid }) =>
      matchesIn({ path, text: texts.get(blobOid) ?? '' }, wanted, places),
    );
    found.push(...some);
    if (some.length < files.length) break;
  }
  return found;
}

type Searched = { path: string; text: string };

function* matchesIn({ path, text }: Searched, wanted: readonly Wanted[], places: Places): Steps<TextMatch[]> {
  const inText = cutFragments(text, yield* findMatches(text, wanted, maxMatches), maxFragments);
  const inPath = places.path ? yield* findMatches(path, wanted, maxMatches) : [];
  return [
    ...inText.map((fragment) => ({ property: 'content', ...fragment })),
    ...(inPath.length > 0 ? [{ property: 'path', ...wholeFragment(path, inPath) }] : []),
  ];
}
