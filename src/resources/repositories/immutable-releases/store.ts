import { sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import {
  type SelectionId,
  type SelectionMode,
  selectionIncludes,
  selectionMode,
} from '#resources/repositories/repository-selections/index.ts';

const selection = sql.ref('immutable_release_rules.selection_id');

/** The rule of an organization; undefined if it never set one. */
export const findRule = (
  db: Db,
  organization: Id<'accounts'>,
): Promise<{ selection_id: SelectionId; mode: SelectionMode } | undefined> =>
  db
    .selectFrom('immutable_release_rules')
    .select(['selection_id', selectionMode(selection).as('mode')])
    .where('organization_id', '=', organization)
    .executeTakeFirst();

export const insertRule = (tx: Tx, organization_id: Id<'accounts'>, selection_id: SelectionId) =>
  tx.insertInto('immutable_release_rules').values({ organization_id, selection_id }).execute();

/** The state of a repository: whether it enabled the setting, and whether its organization enforces it. */
export async function findState(
  db: Db,
  { id, owner_id }: { readonly id: Id<'repositories'>; readonly owner_id: Id<'accounts'> },
): Promise<{ enabled: boolean; enforced: boolean }> {
  const { rows } = await sql<{ enabled: boolean; enforced: boolean }>`select
    exists (select from immutable_release_repositories where repository_id = ${id}) as enabled,
    exists (select from immutable_release_rules
      where organization_id = ${owner_id} and ${selectionIncludes(selection, id)}) as enforced`.execute(db);
  return rows[0] ?? { enabled: false, enforced: false };
}

export const putEnabled = (tx: Tx, repository_id: Id<'repositories'>, enabled_at: Date) =>
  tx
    .insertInto('immutable_release_repositories')
    .values({ repository_id, enabled_at })
    .onConflict((clash) => clash.doNothing())
    .execute();

export const removeEnabled = (tx: Tx, repository: Id<'repositories'>) =>
  tx.deleteFrom('immutable_release_repositories').where('repository_id', '=', repository).execute();
