import { type RawBuilder, sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import { noreplyAddress } from '#lib/noreply.ts';
import { lexeme } from '#search/lexeme-query.ts';
import { lexemesOfRow } from '#search/words-column.ts';
import { foldEmail } from './document.ts';
import { lexemeOf } from './lexemes.ts';

type Author = { id: Id<'accounts'>; login: string };

/**
 * Whether the commit index of the repository `r`, which shows its default branch, holds a commit of this author by the account's
 * noreply address on this host. Other addresses prove nothing: accounts state theirs themselves, and nobody verifies them. What
 * isn't indexed yet isn't found.
 */
export const hasCommitsBy = (author: Author, host: string | undefined): RawBuilder<boolean> =>
  host === undefined ? sql<boolean>`false` : hasCommitsFrom(noreplyAddress(author, host));

/** Counts, where `exists` would do: for that, PostgreSQL may read the whole table in hope of an early hit, and not the index. */
function hasCommitsFrom(email: string): RawBuilder<boolean> {
  const query = lexeme(lexemeOf.authorEmail(foldEmail(email)));
  if (query.kind !== 'query') return sql<boolean>`false`;
  const here = sql`quote_literal(${lexemeOf.repository('')}::text || r.id)`;
  return sql<boolean>`((select count(*) from indexed_commits
    where ${lexemesOfRow} @@ (${query.text}::text || ' & ' || ${here})::tsquery) > 0)`;
}
