// The statements of spaces and their collaborators.
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { teamsOf } from '#access/sql.ts';
import type { Org, Viewer } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { listWalked, orderById } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Page, Walked } from '#lib/page.ts';

export type SpaceRow = Selectable<DB['assistant_spaces']>;
export type CollaboratorRow = Selectable<DB['assistant_space_collaborators']>;
/** A space, with the level of its viewer: 1 reads, 2 writes, 3 administers. */
export type VisibleSpace = SpaceRow & { readonly level: number };

const levelOf = (role: ReturnType<typeof sql.ref>) =>
  sql<number>`case ${role} when 'reader' then 1 when 'writer' then 2 when 'admin' then 3 else 0 end`;

/**
 * The level of a user in a space. Owners have the highest; others get theirs as members, directly, or from one of their teams.
 */
function levelFor(org: Pick<Org, 'id' | 'role'>, { account }: Viewer) {
  if (account === undefined) return sql<number>`0`;
  if (org.role === 'owner') return sql<number>`3`;
  const own = sql`select coalesce(max(${levelOf(sql.ref('c.role'))}), 0) from assistant_space_collaborators c
    where c.space_id = assistant_spaces.id and (c.user_id = ${account.id} or c.team_id = any (${teamsOf(account.id, org.id)}))`;
  return sql<number>`greatest(case when assistant_spaces.creator_id = ${account.id} then 3 else 0 end,
    ${levelOf(sql.ref('assistant_spaces.base_role'))}, (${own}))`;
}

const visible = (db: Db, org: Pick<Org, 'id' | 'role'>, viewer: Viewer) =>
  db
    .selectFrom('assistant_spaces')
    .selectAll('assistant_spaces')
    .select(levelFor(org, viewer).as('level'))
    .where('organization_id', '=', org.id)
    .where(levelFor(org, viewer), '>', 0);

export const findVisibleSpace = (
  db: Db,
  org: Pick<Org, 'id' | 'role'>,
  viewer: Viewer,
  number: number,
): Promise<VisibleSpace | undefined> => visible(db, org, viewer).where('number', '=', number).executeTakeFirst();

/** Reads the space again and locks its row; undefined if it was deleted. */
export const lockSpace = async (tx: Tx, space: VisibleSpace): Promise<VisibleSpace | undefined> => {
  const row = await tx.selectFrom('assistant_spaces').selectAll().where('id', '=', space.id).forUpdate().executeTakeFirst();
  return row && { ...row, level: space.level };
};

/** The spaces of an organization that a viewer may see, ordered by number. */
export const listVisibleSpaces = (
  db: Db,
  org: Pick<Org, 'id' | 'role'>,
  viewer: Viewer,
  page: Page,
): Promise<Walked<VisibleSpace>> => listWalked(db, visible(db, org, viewer), orderById('assistant_spaces', 'asc'), page);

/** The next number of a space. The caller holds the lock of the organization. */
export async function nextNumber(tx: Tx, organization: Id<'accounts'>): Promise<number> {
  const { rows } = await sql<{ number: number }>`
    select coalesce(max(number), 0) + 1 as number from assistant_spaces where organization_id = ${organization}`.execute(tx);
  return rows[0]?.number ?? 1;
}

export const insertSpace = (tx: Tx, row: Insertable<DB['assistant_spaces']>): Promise<SpaceRow> =>
  tx.insertInto('assistant_spaces').values(row).returningAll().executeTakeFirstOrThrow();

export const updateSpace = (tx: Tx, id: SpaceRow['id'], change: Updateable<DB['assistant_spaces']>): Promise<SpaceRow> =>
  tx.updateTable('assistant_spaces').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** The collaborators of a space. Their number is limited. */
export const listCollaborators = (db: Db, space: SpaceRow['id']): Promise<CollaboratorRow[]> =>
  db.selectFrom('assistant_space_collaborators').selectAll().where('space_id', '=', space).orderBy('id').execute();

export const countCollaborators = async (tx: Tx, space: SpaceRow['id']): Promise<number> =>
  (
    await tx
      .selectFrom('assistant_space_collaborators')
      .select(sql<number>`count(*)`.as('count'))
      .where('space_id', '=', space)
      .executeTakeFirstOrThrow()
  ).count;

/** A collaborator, by the login of a user or the slug of a team. */
export async function findCollaborator(
  db: Db,
  { id, organization_id }: SpaceRow,
  type: 'User' | 'Team',
  name: string,
): Promise<CollaboratorRow | undefined> {
  const { rows } = await sql<CollaboratorRow>`
    select c.* from assistant_space_collaborators c where c.space_id = ${id} and ${
      type === 'User'
        ? sql`c.user_id = (select a.id from accounts a where lower(a.login) = lower(${name}))`
        : sql`c.team_id = (select t.id from teams t
          where t.organization_id = ${organization_id} and lower(t.slug) = lower(${name}))`
    }`.execute(db);
  return rows[0];
}

/** Reads the collaborator again and locks the row; undefined if it was removed. */
export const findCollaboratorForUpdate = (tx: Tx, { id }: Pick<CollaboratorRow, 'id'>): Promise<CollaboratorRow | undefined> =>
  tx.selectFrom('assistant_space_collaborators').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

export const insertCollaborator = (
  tx: Tx,
  row: Insertable<DB['assistant_space_collaborators']>,
): Promise<CollaboratorRow | undefined> =>
  tx
    .insertInto('assistant_space_collaborators')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

export const updateCollaborator = (
  tx: Tx,
  id: CollaboratorRow['id'],
  change: Pick<CollaboratorRow, 'role'>,
): Promise<CollaboratorRow> =>
  tx.updateTable('assistant_space_collaborators').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

export const removeCollaborator = async (tx: Tx, id: CollaboratorRow['id']): Promise<void> => {
  await tx.deleteFrom('assistant_space_collaborators').where('id', '=', id).execute();
};
