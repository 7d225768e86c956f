import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { asId, type Id } from '#lib/id.ts';

type RunnerGroup = Selectable<DB['runner_groups']>;
type Organization = Id<'accounts'>;
type Group = Id<'runner_groups'>;

/** Inserts the default group of a new organization, for all repositories. */
export const insertDefaultGroup = (tx: Tx, organization: Organization, now: Date) =>
  insertGroup(tx, {
    organization_id: organization,
    name: 'Default',
    is_default: true,
    allows_public_repositories: true,
    created_at: now,
  });

export const insertGroup = (tx: Tx, row: Insertable<DB['runner_groups']>): Promise<RunnerGroup> =>
  tx.insertInto('runner_groups').values(row).returningAll().executeTakeFirstOrThrow();

export const updateGroup = async (tx: Tx, id: Group, change: Updateable<DB['runner_groups']>): Promise<void> => {
  await tx.updateTable('runner_groups').set(change).where('id', '=', id).execute();
};

/** Removes an empty group. */
export const removeGroup = (tx: Tx, id: Group) => tx.deleteFrom('runner_groups').where('id', '=', id).execute();

const groupsOf = (db: Db, organization: Organization) =>
  db.selectFrom('runner_groups').selectAll().where('organization_id', '=', organization);

export const findGroup = (db: Db, organization: Organization, id: number): Promise<RunnerGroup | undefined> =>
  groupsOf(db, organization).where('id', '=', asId<'runner_groups'>(id)).executeTakeFirst();

/** The group for an organization's runners without an explicit group. */
export const getDefaultGroup = (db: Db, organization: Organization): Promise<RunnerGroup> =>
  groupsOf(db, organization).where('is_default', '=', true).executeTakeFirstOrThrow();
