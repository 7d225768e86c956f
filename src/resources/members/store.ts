import type { Insertable, Selectable } from 'kysely';
import type { Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';

export type MembershipRow = Selectable<DB['memberships']>;

/** Makes somebody a member, or changes what they are. */
export const putMembership = (tx: Tx, row: Insertable<DB['memberships']>): Promise<MembershipRow> =>
  tx
    .insertInto('memberships')
    .values(row)
    .onConflict((conflict) => conflict.columns(['organization_id', 'user_id']).doUpdateSet({ role: row.role, state: row.state }))
    .returningAll()
    .executeTakeFirstOrThrow();
