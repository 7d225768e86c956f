import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { Node } from '#search/query/tree.ts';
import { analyseTree, wantedWords } from '#search/terms.ts';
import { findMatches, type Wanted } from '#search/text-match/find.ts';
import { cutFragments, type TextMatch, wholeFragment } from '#search/text-match/fragments.ts';
import type { IssueHit } from './hits.ts';
import { placesOf } from './terms.ts';
import { loadTexts, type Texts } from './texts.ts';

/** A match in an issue; in one of its comments where that is named. */
export type IssueTextMatch = TextMatch & { comment?: Id<'issue_comments'> };

const mostFragments = 3;
const mostMatches = 40;
/** Matches are looked for in the first comments of each hit, up to so many characters. */
const mostCharacters = 100_000;

/** Document 1, rule 11: where the title, the body and the comments of each hit match, in the order of the hits. */
export async function issueTextMatches(
  db: Db,
  { query, hits }: { query: Node; hits: readonly IssueHit[] },
): Promise<IssueTextMatch[][]> {
  const terms = analyseTree(query);
  const wanted = terms ? wantedWords(terms) : [];
  if (wanted.length === 0) return hits.map(() => []);
  const places = placesOf(query);
  const texts = await loadTexts(
    db,
    hits.map(({ id }) => id),
    { places, most: mostCharacters },
  );
  return hits.map(({ id }) => {
    const own = texts.get(id);
    return own ? matchesIn(own, wanted, new Set(places)) : [];
  });
}

function matchesIn({ title, body, comments }: Texts, wanted: readonly Wanted[], places: ReadonlySet<string>): IssueTextMatch[] {
  const inTitle = places.has('title') ? findMatches(title, wanted, mostMatches) : [];
  const inBody = places.has('body') ? fragmentsOf(body, wanted) : [];
  const inComments: IssueTextMatch[] = [];
  for (const { id, body: said } of comments) {
    if (inComments.length >= mostFragments) break;
    for (const fragment of fragmentsOf(said, wanted)) inComments.push({ ...fragment, comment: id });
  }
  return [
    ...(inTitle.length > 0 ? [{ property: 'title', ...wholeFragment(title, inTitle) }] : []),
    ...inBody,
    ...inComments.slice(0, mostFragments),
  ];
}

const fragmentsOf = (text: string, wanted: readonly Wanted[]): TextMatch[] =>
  cutFragments(text, findMatches(text, wanted, mostMatches), mostFragments).map((fragment) => ({
    property: 'body',
    ...fragment,
  }));
