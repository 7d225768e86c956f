import type { Selectable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { asId, type Id } from '#lib/id.ts';

export type RunnerGroup = Selectable<DB['runner_groups']>;

/** Inserts the default group of a new organization. */
export const insertDefaultGroup = (tx: Tx, organization: Id<'accounts'>, now: Date) =>
  tx
    .insertInto('runner_groups')
    .values({ organization_id: organization, name: 'Default', is_default: true, created_at: now })
    .execute();

export const findGroup = (db: Db, organization: Id<'accounts'>, id: number): Promise<RunnerGroup | undefined> =>
  db
    .selectFrom('runner_groups')
    .selectAll()
    .where('organization_id', '=', organization)
    .where('id', '=', asId<'runner_groups'>(id))
    .executeTakeFirst();
