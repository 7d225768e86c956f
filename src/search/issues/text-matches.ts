import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { mapWithinBudget } from '#search/look-through.ts';
import type { Node } from '#search/query/tree.ts';
import { runWithinBudget } from '#search/read.ts';
import type { Budget } from '#search/result.ts';
import type { Steps } from '#search/slices.ts';
import { analyseTree, includedWords } from '#search/terms.ts';
import { findMatches, type WordGroup } from '#search/text-match/find.ts';
import { cutFragments, type TextMatch, wholeFragment } from '#search/text-match/fragments.ts';
import type { IssueHit } from './hits.ts';
import { textFieldsOf } from './terms.ts';
import { loadTexts, type Texts } from './texts.ts';

/** A match in an issue, or in one of its comments if `comment` is set. */
export type IssueTextMatch = TextMatch & { comment?: Id<'issue_comments'> };

const maxFragments = 3;
const maxMatches = 40;
/** The number of characters of each hit's first comments that are searched for matches. */
const maxCharacters = 100_000;
/** The number of bytes of all texts. It suffices for a full page of hits with bodies of the maximum size. */
const maxBytes = 64 * 1024 * 1024;

type IssueMatching = { query: Node; hits: readonly IssueHit[]; budget: Budget };

/**
 * The matches in the title, the body and the comments of each hit (document 1, rule 11), in the order of the hits. When the
 * budget ends, the matches of the last hits are missing.
 */
export async function issueTextMatches(db: Db, { query, hits, budget }: IssueMatching): Promise<IssueTextMatch[][]> {
  const terms = analyseTree(query);
  const groups = terms ? includedWords(terms) : [];
  if (groups.length === 0) return hits.map(() => []);
  const searchedFields = textFieldsOf(query);
  const ids = hits.map(({ id }) => id);
  const texts = await runWithinBudget(db, budget, (tx) =>
    loadTexts(tx, ids, { searchedFields, maxCharacters: maxCharacters, batchSize: maxBytes }),
  );
  return mapWithinBudget(texts ? ids : [], budget, function* matches(id) {
    const own = texts?.get(id);
    return own ? yield* matchesIn(own, groups, new Set(searchedFields)) : [];
  });
}

function* matchesIn(
  { title, body, comments }: Texts,
  groups: readonly WordGroup[],
  searchedFields: ReadonlySet<string>,
): Steps<IssueTextMatch[]> {
  const inTitle = searchedFields.has('title') ? yield* findMatches(title, groups, maxMatches) : [];
  const inBody = searchedFields.has('body') ? yield* fragmentsOf(body, groups) : [];
  const inComments: IssueTextMatch[] = [];
  for (const { id, body: text } of comments) {
    if (inComments.length >= maxFragments) break;
    for (const fragment of yield* fragmentsOf(text, groups)) inComments.push({ ...fragment, comment: id });
  }
  return [
    ...(inTitle.length > 0 ? [{ property: 'title', ...wholeFragment(title, inTitle) }] : []),
    ...inBody,
    ...inComments.slice(0, maxFragments),
  ];
}

function* fragmentsOf(text: string, groups: readonly WordGroup[]): Steps<TextMatch[]> {
  const fragments = cutFragments(text, yield* findMatches(text, groups, maxMatches), maxFragments);
  return fragments.map((fragment) => ({ property: 'body', ...fragment }));
}
