import { type RawBuilder, sql } from 'kysely';
import { belongsToOrganization } from '#access/sql.ts';
import type { Account, Repo, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { Listed, Page } from '#lib/page.ts';

const mayBeAssigned = sql<boolean>`(accounts.kind <> 'organization' and accounts.suspended_at is null)`;

/**
 * Whether the account in the row `accounts` may be assigned to issues of the repository in the row `repo`: those who have a role
 * in it may. Being able to read it because it is public doesn't count.
 */
export const assignableTo = (repo: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`(
  ${mayBeAssigned} and exists (select from repository_roles role
    where role.repository_id = ${repo}.id and role.account_id = accounts.id and role.level > 0))`;

/** Which users are considered: all, or those whom the viewer may see. */
type AssigneeVisibility = 'everybody' | Viewer;

/**
 * Whether the account in the row `accounts` may be assigned here. Users whose only role comes from a concealed membership are
 * visible to members of the organization only (security decision 4).
 */
function assignableHere({ id, owner_id }: Repo, visibility: AssigneeVisibility): RawBuilder<boolean> {
  const owner = sql`${owner_id}::bigint`;
  const visible =
    visibility === 'everybody'
      ? sql`true`
      : sql`(role.source in ('owner', 'collaborator') or ${belongsToOrganization(visibility, owner)}
        or exists (select from memberships m where m.organization_id = ${owner} and m.user_id = role.account_id and m.public))`;
  return sql<boolean>`(${mayBeAssigned} and accounts.id in (
    select role.account_id from repository_roles role where role.repository_id = ${id} and role.level > 0 and ${visible}))`;
}

/** The users who may be assigned and whom the viewer may see. */
export const listAssignable = (db: Db, repo: Repo, viewer: Viewer, page: Page): Promise<Listed<Account>> =>
  list(db, db.selectFrom('accounts').selectAll('accounts').where(assignableHere(repo, viewer)).orderBy('accounts.id'), page);

/**
 * The users with these logins who may be assigned. By default all are found, since callers who may assign could find out by
 * trying.
 */
export async function findAssignable(
  db: Db,
  repo: Repo,
  logins: readonly string[],
  visibility: AssigneeVisibility = 'everybody',
): Promise<Account[]> {
  if (logins.length === 0) return [];
  return db
    .selectFrom('accounts')
    .selectAll('accounts')
    .where(sql<boolean>`lower(accounts.login) = any (${logins.map((login) => login.toLowerCase())})`)
    .where(assignableHere(repo, visibility))
    .execute();
}
