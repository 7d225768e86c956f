import type { Db } from '#database/connect.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { listSharing } from '#resources/repositories/actions-permissions/index.ts';

/** The properties of a repository that decide who may use its workflows and actions, and whose it may use. */
export type SharingRepository = {
  readonly id: Id<'repositories'>;
  readonly owner_id: Id<'accounts'>;
  readonly visibility: 'public' | 'internal' | 'private';
};

/**
 * The repositories that let another repository's workflows use their workflows and actions. Everybody may use those of public
 * repositories. Other repositories can share theirs with non-public repositories of the same owner, by their settings (the public
 * API's rule).
 */
export async function loadShared(
  db: Db,
  by: SharingRepository,
  used: readonly SharingRepository[],
): Promise<ReadonlySet<Id<'repositories'>>> {
  const open = used.filter(({ id, visibility }) => id === by.id || visibility === 'public');
  const others = by.visibility === 'public' ? [] : used.filter((one) => !open.includes(one) && one.owner_id === by.owner_id);
  return new Set([...gather(open, 'id'), ...(await listSharing(db, gather(others, 'id')))]);
}

/** Whether a repository is one of these. */
export const isShared = async (db: Db, by: SharingRepository, used: SharingRepository): Promise<boolean> =>
  (await loadShared(db, by, [used])).has(used.id);
