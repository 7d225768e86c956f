import { type RawBuilder, sql } from 'kysely';
import { belongsToOrganization } from '#access/sql.ts';
import type { Account, Repo, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { Listed, Page } from '#lib/page.ts';

/** Whether the membership `m` gives a role in the repository `repo`, other than to read since it is public. */
const givesRole = (repo: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`(
  m.organization_id = ${repo}.owner_id and m.state = 'active' and (m.role = 'owner'
    or exists (select from organizations g where g.account_id = m.organization_id and g.default_repository_permission <> 'none')
    or exists (select from team_members tm join teams t on t.id = tm.team_id
      join team_repositories tr on tr.team_id = any (t.ancestors)
      where tm.user_id = m.user_id and tr.repository_id = ${repo}.id)
    or exists (select from organization_role_holders h
      where h.organization_id = ${repo}.owner_id and h.user_id = m.user_id and h.base_role is not null)))`;

const mayBeAssigned = sql<boolean>`(accounts.kind <> 'organization' and accounts.suspended_at is null)`;

/**
 * Whether the account in the row `accounts` may be assigned to issues of the repository in the row `repo`: its owner and its
 * collaborators may, and members of its organization who have a role in it, other than to read since it is public.
 */
export const assignableTo = (repo: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`(
  ${mayBeAssigned} and (
    accounts.id = ${repo}.owner_id
    or exists (select from collaborators c where c.repository_id = ${repo}.id and c.user_id = accounts.id)
    or exists (select from memberships m where m.user_id = accounts.id and ${givesRole(repo)})))`;

/** Whose assignability is told: everybody's, or that of whom the viewer may know. */
export type Sight = 'everybody' | Viewer;

/**
 * Whether the account in the row `accounts` may be assigned here. Who is here by a concealed membership alone is known to those who
 * belong to the organization (security decision 4).
 */
function assignableHere({ id, owner_id }: Repo, sight: Sight): RawBuilder<boolean> {
  const seen = sight === 'everybody' ? sql`true` : sql`(m.public or ${belongsToOrganization(sight, sql`${owner_id}::bigint`)})`;
  return sql<boolean>`(${mayBeAssigned} and accounts.id in (
    select r.owner_id from repositories r where r.id = ${id}
    union all select c.user_id from collaborators c where c.repository_id = ${id}
    union all select m.user_id from repositories r join memberships m on m.organization_id = r.owner_id
      where r.id = ${id} and ${givesRole(sql`r`)} and ${seen}))`;
}

/** Those who may be assigned, as far as the viewer may know of them. */
export const listAssignable = (db: Db, repo: Repo, viewer: Viewer, page: Page): Promise<Listed<Account>> =>
  list(db, db.selectFrom('accounts').selectAll('accounts').where(assignableHere(repo, viewer)).orderBy('accounts.id'), page);

/** Those with these logins who may be assigned. Who may assign them is told of everybody, as they would find out by trying. */
export async function findAssignable(
  db: Db,
  repo: Repo,
  logins: readonly string[],
  sight: Sight = 'everybody',
): Promise<Account[]> {
  if (logins.length === 0) return [];
  return db
    .selectFrom('accounts')
    .selectAll('accounts')
    .where(sql<boolean>`lower(accounts.login) = any (${logins.map((login) => login.toLowerCase())})`)
    .where(assignableHere(repo, sight))
    .execute();
}
