import { mapWithinBudget } from '#search/look-through.ts';
import { split } from '#search/query/filters.ts';
import type { Node } from '#search/query/tree.ts';
import type { Budget } from '#search/result.ts';
import type { Steps } from '#search/slices.ts';
import { analyseTree, includedWords } from '#search/terms.ts';
import { findMatches } from './find.ts';
import { cutFragments, type TextMatch, wholeFragment } from './fragments.ts';

const maxFragments = 3;
const maxMatches = 40;

/** A text of a hit. `isName`: it is short, and shown as a whole. */
type Property = { property: string; text: string; isName: boolean };

type Matching<Hit> = {
  query: Node;
  hits: readonly Hit[];
  budget: Pick<Budget, 'left'>;
  propertiesOf(hit: Hit): Property[];
};

/**
 * The matches in the texts of each hit (document 1, rule 11), in the order of the hits. When the budget ends, the matches of the
 * last hits are missing.
 */
export async function propertyMatches<Hit>({ query, hits, budget, propertiesOf }: Matching<Hit>): Promise<TextMatch[][]> {
  const { terms } = split(query);
  const analysed = terms && analyseTree(terms);
  if (!analysed) return hits.map(() => []);
  const groups = includedWords(analysed);
  return mapWithinBudget(hits, budget, function* matches(hit): Steps<TextMatch[]> {
    const found: TextMatch[] = [];
    for (const { property, text, isName } of propertiesOf(hit)) {
      const spans = yield* findMatches(text, groups, maxMatches);
      const whole = spans.length > 0 ? [wholeFragment(text, spans)] : [];
      const fragments = isName ? whole : cutFragments(text, spans, maxFragments);
      found.push(...fragments.map((fragment) => ({ property, ...fragment })));
    }
    return found;
  });
}
