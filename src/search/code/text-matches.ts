import type { GitStore } from '#git/repo.ts';
import { mapWithinBudget } from '#search/look-through.ts';
import { split } from '#search/query/filters.ts';
import type { Node } from '#search/query/tree.ts';
import type { Budget } from '#search/result.ts';
import type { Steps } from '#search/slices.ts';
import { includedWords } from '#search/terms.ts';
import { findMatches, type WordGroup } from '#search/text-match/find.ts';
import { cutFragments, type TextMatch, wholeFragment } from '#search/text-match/fragments.ts';
import { searchedFieldsOf } from './filters.ts';
import type { CodeHit } from './hits.ts';
import { readBatches } from './read-texts.ts';
import { requireTerms, type SearchedFields } from './terms.ts';

const maxFragments = 3;
const maxMatches = 40;

type CodeMatching = { query: Node; hits: readonly CodeHit[]; budget: Pick<Budget, 'left'> };

/**
 * The matches in the content and the path of each hit of a page (document 1, rule 11), in the order of the hits. When the budget
 * ends, the matches of the last hits are missing.
 */
export async function codeTextMatches(git: GitStore, { query, hits, budget }: CodeMatching): Promise<TextMatch[][]> {
  const { terms, filters } = split(query);
  const searchedFields = searchedFieldsOf(filters);
  const groups = includedWords(requireTerms(terms));
  const matches: TextMatch[][] = [];
  for await (const { files, texts } of readBatches(git, hits, searchedFields)) {
    const batch = await mapWithinBudget(files, budget, ({ path, blobOid }) =>
      matchesIn({ path, text: texts.get(blobOid) ?? '' }, groups, searchedFields),
    );
    matches.push(...batch);
    if (batch.length < files.length) break;
  }
  return matches;
}

type Searched = { path: string; text: string };

function* matchesIn({ path, text }: Searched, groups: readonly WordGroup[], searchedFields: SearchedFields): Steps<TextMatch[]> {
  const inText = cutFragments(text, yield* findMatches(text, groups, maxMatches), maxFragments);
  const inPath = searchedFields.path ? yield* findMatches(path, groups, maxMatches) : [];
  return [
    ...inText.map((fragment) => ({ property: 'content', ...fragment })),
    ...(inPath.length > 0 ? [{ property: 'path', ...wholeFragment(path, inPath) }] : []),
  ];
}
