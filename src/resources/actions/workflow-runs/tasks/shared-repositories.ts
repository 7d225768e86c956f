import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { loadActionsPolicy } from '#resources/repositories/actions-permissions/index.ts';

/** A repository, as far as it decides whose workflows and actions it may use, or who may use its own. */
export type SharingRepository = {
  readonly id: Id<'repositories'>;
  readonly owner_id: Id<'accounts'>;
  readonly visibility: 'public' | 'internal' | 'private';
};

/**
 * Whether a repository lets the workflows of another use its workflows and actions: everybody may use those of public ones; those
 * of others are for repositories of the same owner that aren't public, where their settings say so (the public API's rule).
 */
export async function isShared(db: Db, by: SharingRepository, used: SharingRepository): Promise<boolean> {
  if (used.id === by.id || used.visibility === 'public') return true;
  if (by.visibility === 'public' || used.owner_id !== by.owner_id) return false;
  return (await loadActionsPolicy(db, used)).accessLevel !== 'none';
}
