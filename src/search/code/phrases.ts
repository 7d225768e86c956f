import { type RawBuilder, sql } from 'kysely';
import type { Term } from '#search/analyse/analyse.ts';
import type { Terms } from '#search/terms.ts';
import { mayContainPairs } from '#search/word-pairs.ts';
import { mayBeInPath } from './bonuses.ts';
import type { SearchedFields } from './terms.ts';

/**
 * A condition on the `id` and `score` of a row `f`: whether its file may contain the phrases of a query. Undefined if the Bloom
 * filters can't be used.
 */
export function mayContainPhrases(terms: Terms, searchedFields: SearchedFields): RawBuilder<unknown> | undefined {
  switch (terms.kind) {
    case 'words':
      return terms.phrase ? mayContainPhrase(terms.terms, searchedFields) : undefined;
    case 'not':
      return undefined;
    case 'all': {
      const parts = terms.parts.map((part) => mayContainPhrases(part, searchedFields)).filter((part) => part !== undefined);
      return parts.length > 0 ? sql`(${sql.join(parts, sql` and `)})` : undefined;
    }
    case 'any': {
      const parts = terms.parts.map((part) => mayContainPhrases(part, searchedFields)).filter((part) => part !== undefined);
      return parts.length === terms.parts.length ? sql`(${sql.join(parts, sql` or `)})` : undefined;
    }
  }
}

function mayContainPhrase(terms: readonly Term[], searchedFields: SearchedFields): RawBuilder<unknown> | undefined {
  const inPairs = searchedFields.file ? mayContainPairs(terms, sql`p.pairs`) : undefined;
  if (!inPairs) return undefined;
  const inText = sql`coalesce((select ${inPairs} from code_pairs p where p.file_id = f.id), true)`;
  if (!searchedFields.path) return inText;
  const words = terms.map(({ written }) => written.replace(/[\\%_]/g, '\\$&'));
  return sql`(${inText} or ${mayBeInPath} and (
    select lower(c.path) like lower(${`%${words.join('%')}%`}) from code_files c where c.id = f.id))`;
}
