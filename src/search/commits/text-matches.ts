import type { Db } from '#database/connect.ts';
import { mapWithinBudget } from '#search/look-through.ts';
import { split } from '#search/query/filters.ts';
import type { Node } from '#search/query/tree.ts';
import { runWithinBudget } from '#search/read.ts';
import type { Budget } from '#search/result.ts';
import type { Steps } from '#search/slices.ts';
import { analyseTree, includedWords } from '#search/terms.ts';
import { findMatches } from '#search/text-match/find.ts';
import { cutFragments, type TextMatch } from '#search/text-match/fragments.ts';
import { type CommitHit, findMessages } from './hits.ts';

const maxFragments = 3;
const maxMatches = 40;

type CommitMatching = { query: Node; hits: readonly CommitHit[]; budget: Budget };

/**
 * The matches in the message of each hit of a page (document 1, rule 11), in the order of the hits. When the budget ends, the
 * matches of the last hits are missing.
 */
export async function commitTextMatches(db: Db, { query, hits, budget }: CommitMatching): Promise<TextMatch[][]> {
  const { terms } = split(query);
  const analysed = terms && analyseTree(terms);
  if (!analysed) return hits.map(() => []);
  const groups = includedWords(analysed);
  const ids = hits.map(({ id }) => id);
  const messages = await runWithinBudget(db, budget, (tx) => findMessages(tx, ids));
  return mapWithinBudget(messages ? ids : [], budget, function* matches(id): Steps<TextMatch[]> {
    const message = messages?.get(id) ?? '';
    const fragments = cutFragments(message, yield* findMatches(message, groups, maxMatches), maxFragments);
    return fragments.map((fragment) => ({ property: 'message', ...fragment }));
  });
}
