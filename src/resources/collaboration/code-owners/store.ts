import { sql } from 'kysely';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { teamReaches } from '#resources/collaboration/pulls/index.ts';

/** The minimum role level of a code owner: write access. */
const writing = 3;

/** The given users, by logins in lower case or by ids, who may write to a repository. */
export const findWriters = async (
  db: Db,
  { id }: Pick<RepositoryRow, 'id'>,
  { logins, ids }: { logins: readonly string[]; ids: readonly Id<'accounts'>[] },
): Promise<Account[]> =>
  logins.length + ids.length === 0
    ? []
    : db
        .selectFrom('accounts')
        .selectAll()
        .where(
          sql<boolean>`(lower(login) = any (${[...logins]}::text[]) or id = any (${[...ids]}::bigint[]))
            and kind = 'user' and suspended_at is null
            and id in (select role.account_id from repository_roles role
              where role.repository_id = ${id} and role.level >= ${writing})`,
        )
        .orderBy('id')
        .execute();

/** A team by its slug, in lower case. */
type Slug = { id: Id<'teams'>; slug: string };

/**
 * The given teams of a repository's owner, by slugs in lower case, that are visible to all members and may write to the
 * repository.
 */
export const findWritingTeams = async (
  db: Db,
  { id, owner_id }: Pick<RepositoryRow, 'id' | 'owner_id'>,
  slugs: readonly string[],
): Promise<Slug[]> =>
  slugs.length === 0
    ? []
    : db
        .selectFrom('teams as t')
        .select(['t.id', sql<string>`lower(t.slug)`.as('slug')])
        .where('t.organization_id', '=', owner_id)
        .where('t.privacy', '=', 'closed')
        .where(sql<boolean>`lower(t.slug) = any (${[...slugs]}::text[])`)
        .where(teamReaches(sql`${id}`, writing))
        .orderBy('t.id')
        .execute();
