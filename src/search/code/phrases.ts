import { type RawBuilder, sql } from 'kysely';
import type { Term } from '#search/analyse/analyse.ts';
import type { Terms } from '#search/terms.ts';
import { mayHoldPhrase } from '#search/word-pairs.ts';
import { mayBeInPath } from './bonuses.ts';
import type { Places } from './terms.ts';

/**
 * Whether the phrases of a query may be in a file, as a condition on the `id` and the `score` of a row `f`; undefined when the
 * filters of pairs can't tell.
 */
export function mayHold(terms: Terms, places: Places): RawBuilder<unknown> | undefined {
  switch (terms.kind) {
    case 'words':
      return terms.phrase ? mayHoldHere(terms.terms, places) : undefined;
    case 'not':
      return undefined;
    case 'all': {
      const parts = terms.parts.map((part) => mayHold(part, places)).filter((part) => part !== undefined);
      return parts.length > 0 ? sql`(${sql.join(parts, sql` and `)})` : undefined;
    }
    case 'any': {
      const parts = terms.parts.map((part) => mayHold(part, places)).filter((part) => part !== undefined);
      return parts.length === terms.parts.length ? sql`(${sql.join(parts, sql` or `)})` : undefined;
    }
  }
}

function mayHoldHere(terms: readonly Term[], places: Places): RawBuilder<unknown> | undefined {
  const inPairs = places.file ? mayHoldPhrase(terms, sql`p.pairs`) : undefined;
  if (!inPairs) return undefined;
  const inText = sql`coalesce((select ${inPairs} from code_pairs p where p.file_id = f.id), true)`;
  if (!places.path) return inText;
  const words = terms.map(({ written }) => written.replace(/[\\%_]/g, '\\$&'));
  return sql`(${inText} or ${mayBeInPath} and (
    select lower(c.path) like lower(${`%${words.join('%')}%`}) from code_files c where c.id = f.id))`;
}
