import type { Account } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';

/** Deleted organizations whose data must still be removed. */
export const loadDeleted = (db: Db): Promise<Account[]> =>
  db.selectFrom('accounts').selectAll().where('kind', '=', 'deleted').orderBy('id').limit(100).execute();
