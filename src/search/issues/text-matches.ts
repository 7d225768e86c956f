import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { turnEach } from '#search/look-through.ts';
import type { Node } from '#search/query/tree.ts';
import { within } from '#search/read.ts';
import type { Budget } from '#search/result.ts';
import type { Steps } from '#search/slices.ts';
import { analyseTree, wantedWords } from '#search/terms.ts';
import { findMatches, type Wanted } from '#search/text-match/find.ts';
import { cutFragments, type TextMatch, wholeFragment } from '#search/text-match/fragments.ts';
import type { IssueHit } from './hits.ts';
import { textFieldsOf } from './terms.ts';
import { loadTexts, type Texts } from './texts.ts';

/** A match in an issue; in one of its comments where that is named. */
export type IssueTextMatch = TextMatch & { comment?: Id<'issue_comments'> };

const maxFragments = 3;
const maxMatches = 40;
/** Matches are looked for in the first comments of each hit, up to so many characters. */
const maxCharacters = 100_000;
/** More than a page of hits has, each with the longest body and so many characters of comments. */
const maxBytes = 64 * 1024 * 1024;

export type IssueMatching = { query: Node; hits: readonly IssueHit[]; budget: Budget };

/**
 * Document 1, rule 11: where the title, the body and the comments of each hit match, in the order of the hits. When the budget
 * ends, the last hits are missing.
 */
export async function issueTextMatches(db: Db, { query, hits, budget }: IssueMatching): Promise<IssueTextMatch[][]> {
  const terms = analyseTree(query);
  const wanted = terms ? wantedWords(terms) : [];
  if (wanted.length === 0) return hits.map(() => []);
  const places = textFieldsOf(query);
  const ids = hits.map(({ id }) => id);
  const texts = await within(db, budget, (tx) => loadTexts(tx, ids, { places, most: maxCharacters, batchSize: maxBytes }));
  return turnEach(texts ? ids : [], budget, function* matches(id) {
    const own = texts?.get(id);
    return own ? yield* matchesIn(own, wanted, new Set(places)) : [];
  });
}

function* matchesIn(
  { title, body, comments }: Texts,
  wanted: readonly Wanted[],
  places: ReadonlySet<string>,
): Steps<IssueTextMatch[]> {
  const inTitle = places.has('title') ? yield* findMatches(title, wanted, maxMatches) : [];
  const inBody = places.has('body') ? yield* fragmentsOf(body, wanted) : [];
  const inComments: IssueTextMatch[] = [];
  for (const { id, body: said } of comments) {
    if (inComments.length >= maxFragments) break;
    for (const fragment of yield* fragmentsOf(said, wanted)) inComments.push({ ...fragment, comment: id });
  }
  return [
    ...(inTitle.length > 0 ? [{ property: 'title', ...wholeFragment(title, inTitle) }] : []),
    ...inBody,
    ...inComments.slice(0, maxFragments),
  ];
}

function* fragmentsOf(text: string, wanted: readonly Wanted[]): Steps<TextMatch[]> {
  const fragments = cutFragments(text, yield* findMatches(text, wanted, maxMatches), maxFragments);
  return fragments.map((fragment) => ({ property: 'body', ...fragment }));
}
