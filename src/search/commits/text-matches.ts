import type { Db } from '#database/connect.ts';
import { split } from '#search/query/filters.ts';
import type { Node } from '#search/query/tree.ts';
import { analyseTree, wantedWords } from '#search/terms.ts';
import { findMatches } from '#search/text-match/find.ts';
import { cutFragments, type TextMatch } from '#search/text-match/fragments.ts';
import { type CommitHit, findMessages } from './hits.ts';

const mostFragments = 3;
const mostMatches = 40;

/** Document 1, rule 11: where the message of each hit matches, for the hits of a page and in their order. */
export async function commitTextMatches(
  db: Db,
  { query, hits }: { query: Node; hits: readonly CommitHit[] },
): Promise<TextMatch[][]> {
  const { terms } = split(query);
  const analysed = terms && analyseTree(terms);
  if (!analysed) return hits.map(() => []);
  const wanted = wantedWords(analysed);
  const messages = await findMessages(
    db,
    hits.map(({ id }) => id),
  );
  return hits.map(({ id }) => {
    const message = messages.get(id) ?? '';
    const fragments = cutFragments(message, findMatches(message, wanted, mostMatches), mostFragments);
    return fragments.map((fragment) => ({ property: 'message', ...fragment }));
  });
}
