import { type RawBuilder, sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import { noreplyAddress } from '#lib/noreply.ts';
import { lexeme } from '#search/lexeme-query.ts';
import { lexemesOfRow } from '#search/words-column.ts';
import { foldEmail } from './document.ts';
import { lexemeOf } from './lexemes.ts';

type Author = { id: Id<'accounts'>; login: string; email: string | null };

/**
 * Whether the commit index of the repository `r`, which shows its default branch, holds a commit of this author: by the account's
 * noreply address on this host, or its public address, which counts as the oldest account's that shows it. Accounts state
 * that address themselves, and nobody has verified it. What isn't indexed yet isn't found.
 */
export function hasCommitsBy(author: Author, host: string | undefined): RawBuilder<boolean> {
  const byNoreply = host === undefined ? sql<boolean>`false` : hasCommitsFrom(noreplyAddress(author, host));
  const { email } = author;
  if (email === null) return byNoreply;
  return sql<boolean>`(${byNoreply} or (${hasCommitsFrom(email)} and not exists (select from accounts other
    where lower(other.email) = lower(${email}) and other.id < ${author.id} and other.kind <> 'organization')))`;
}

/** Counts, where `exists` would do: for that, PostgreSQL may read the whole table in hope of an early hit, and not the index. */
function hasCommitsFrom(email: string): RawBuilder<boolean> {
  const query = lexeme(lexemeOf.authorEmail(foldEmail(email)));
  if (query.kind !== 'query') return sql<boolean>`false`;
  const here = sql`quote_literal(${lexemeOf.repository('')}::text || r.id)`;
  return sql<boolean>`((select count(*) from indexed_commits
    where ${lexemesOfRow} @@ (${query.text}::text || ' & ' || ${here})::tsquery) > 0)`;
}
