import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

type Rename = { repository: Id<'repositories'>; from: string; to: string; now: Date };

/** The current name of a branch that formerly had this name; undefined if there is none. */
export async function findNewName(db: Db, repository: Id<'repositories'>, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('branch_renames')
    .select('new_name')
    .where('repository_id', '=', repository)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.new_name;
}

/**
 * Stores the new name of a branch. All of its former names then lead to the new one, and the new name no longer leads elsewhere.
 */
export async function insertRename(tx: Tx, { repository, from, to, now }: Rename): Promise<void> {
  await tx.deleteFrom('branch_renames').where('repository_id', '=', repository).where('name', '=', to).execute();
  await tx
    .updateTable('branch_renames')
    .set({ new_name: to })
    .where('repository_id', '=', repository)
    .where('new_name', '=', from)
    .execute();
  await tx
    .insertInto('branch_renames')
    .values({ repository_id: repository, name: from, new_name: to, created_at: now })
    .onConflict((conflict) => conflict.columns(['repository_id', 'name']).doUpdateSet({ new_name: to, created_at: now }))
    .execute();
}
