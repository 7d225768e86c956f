import type { GitStore } from '#git/repo.ts';
import { split } from '#search/query/filters.ts';
import type { Node } from '#search/query/tree.ts';
import { wantedWords } from '#search/terms.ts';
import { findMatches } from '#search/text-match/find.ts';
import { cutFragments, type TextMatch, wholeFragment } from '#search/text-match/fragments.ts';
import { placesOf } from './filters.ts';
import type { CodeHit } from './hits.ts';
import { readTexts } from './read-texts.ts';
import { requireTerms } from './terms.ts';

const mostFragments = 3;
const mostMatches = 40;

/** Document 1, rule 11: where the content and the path of each hit match, for the hits of a page and in their order. */
export async function codeTextMatches(
  git: GitStore,
  { query, hits }: { query: Node; hits: readonly CodeHit[] },
): Promise<TextMatch[][]> {
  const { terms, filters } = split(query);
  const places = placesOf(filters);
  const wanted = wantedWords(requireTerms(terms));
  const texts = places.file ? await readTexts(git, hits) : new Map<string, string>();
  return hits.map(({ path, blobOid }) => {
    const text = texts.get(blobOid) ?? '';
    const inText = cutFragments(text, findMatches(text, wanted, mostMatches), mostFragments);
    const inPath = places.path ? findMatches(path, wanted, mostMatches) : [];
    return [
      ...inText.map((fragment) => ({ property: 'content', ...fragment })),
      ...(inPath.length > 0 ? [{ property: 'path', ...wholeFragment(path, inPath) }] : []),
    ];
  });
}
