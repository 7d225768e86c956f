import type { Account } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';

/** Organizations that were deleted, and are still to be removed. */
export const loadDeleted = (db: Db): Promise<Account[]> =>
  db.selectFrom('accounts').selectAll().where('kind', '=', 'deleted').orderBy('id').limit(100).execute();
