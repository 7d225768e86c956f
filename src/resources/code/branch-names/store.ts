import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';

type Rename = { repository: Id<'repositories'>; from: string; to: string; now: Date };

/** The present name of a branch by a former one; undefined where no branch had it. */
export async function findNewName(db: Db, repository: Id<'repositories'>, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('branch_renames')
    .select('new_name')
    .where('repository_id', '=', repository)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.new_name;
}

/** Stores that a branch has another name. Former names of it lead to the new one at once, and the new name leads nowhere else. */
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
