import { type RawBuilder, sql } from 'kysely';
import type { Account, Repo } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { Listed, Page } from '#lib/page.ts';

/**
 * Whether the account in the row `accounts` may be assigned to issues of the repository in the row `repo`: its owner and its
 * collaborators may, and members of its organization who have a role in it, other than to read since it is public.
 */
export const assignableTo = (repo: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`(
  accounts.kind <> 'organization' and accounts.suspended_at is null and (
    accounts.id = ${repo}.owner_id
    or exists (select from collaborators c where c.repository_id = ${repo}.id and c.user_id = accounts.id)
    or exists (select from memberships m join organizations g on g.account_id = m.organization_id
      where m.organization_id = ${repo}.owner_id and m.user_id = accounts.id and m.state = 'active'
        and (m.role = 'owner' or g.default_repository_permission <> 'none'
          or exists (select from team_members tm join teams t on t.id = tm.team_id
            join team_repositories tr on tr.team_id = any (t.ancestors)
            where tm.user_id = m.user_id and tr.repository_id = ${repo}.id)
          or exists (select from organization_role_holders h
            where h.organization_id = ${repo}.owner_id and h.user_id = m.user_id and h.base_role is not null)))))`;

const assignableIn = ({ id }: Repo): RawBuilder<boolean> =>
  sql<boolean>`exists (select from repositories r where r.id = ${id} and ${assignableTo(sql`r`)})`;

export const listAssignable = (db: Db, repo: Repo, page: Page): Promise<Listed<Account>> =>
  list(db, db.selectFrom('accounts').selectAll('accounts').where(assignableIn(repo)).orderBy('accounts.id'), page);

/** Those with these logins who may be assigned. */
export async function findAssignable(db: Db, repo: Repo, logins: readonly string[]): Promise<Account[]> {
  if (logins.length === 0) return [];
  return db
    .selectFrom('accounts')
    .selectAll('accounts')
    .where(sql<boolean>`lower(accounts.login) = any (${logins.map((login) => login.toLowerCase())})`)
    .where(assignableIn(repo))
    .execute();
}
