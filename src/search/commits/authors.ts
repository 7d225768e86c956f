import { type RawBuilder, sql } from 'kysely';
import type { Id } from '#lib/id.ts';
import { noreplyAddress } from '#lib/noreply.ts';
import { lexemesOfRow } from '#search/words-column.ts';
import { foldEmail } from './document.ts';
import { lexemeOf } from './lexemes.ts';

type Author = { id: Id<'accounts'>; login: string };

/**
 * Whether the commit index of the repository `r`, which covers its default branch, contains a commit of this author: by a
 * verified address of the account, or by its noreply address on this host. Unverified addresses prove nothing. Commits that
 * aren't indexed yet aren't found.
 *
 * It counts instead of using `exists`: for that, PostgreSQL may read the whole table in the hope of an early hit, and not use the
 * index.
 */
export const hasCommitsBy = (author: Author, host: string | undefined): RawBuilder<boolean> => sql<boolean>`((
  select count(*) from indexed_commits
  where ${lexemesOfRow}
    @@ ('(' || ${addressesOf(author, host)} || ') & ' || quote_literal(${lexemeOf.repository('')}::text || r.id))::tsquery
) > 0)`;

/**
 * The lexemes of an author's addresses. A matching row has one of them. Null if there are none. Addresses contain no backslash.
 */
const addressesOf = (author: Author, host: string | undefined): RawBuilder<string | null> => {
  const noreply = host === undefined ? null : lexemeOf.authorEmail(foldEmail(noreplyAddress(author, host)));
  return sql`(
    select string_agg(quote_literal(word), ' | ') from (
      select ${lexemeOf.authorEmail('')}::text || lower(email) from email_addresses
        where account_id = ${author.id} and verified_at is not null
      union all
      select ${noreply}::text) of_author (word))`;
};
