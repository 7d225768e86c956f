// Branches of forks that those may move who may write to the base of an open pull request, since its author lets them.
import { authorize } from '#access/authorize.ts';
import { findRepoById } from '#access/lookup.ts';
import { writesContents } from '#access/policies.ts';
import type { Policy } from '#access/policy.ts';
import type { Repo, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { listModifiableRefs, listModifyingBases } from './modifying-store.ts';

const { role: _, ...writesWithoutRole } = writesContents;

/** What the credential must allow in the fork itself, where its holder has no role: it is for contents, and reaches the fork. */
const writesFork: Policy = writesWithoutRole;

/**
 * The bases of a fork's pull requests to which the viewer may write, asked anew each time. Empty where the fork takes no changes.
 */
async function findBases(db: Db, viewer: Viewer, fork: Repo): Promise<Id<'repositories'>[]> {
  if (viewer.account?.kind !== 'user' || viewer.grant.kind === 'installation') return [];
  if (!authorize(writesFork, viewer, { repo: fork }, { write: true }).allowed) return [];
  const bases = await listModifyingBases(db, fork.id);
  const found = await Promise.all(bases.map((id) => findRepoById(db, viewer, id)));
  return found.flatMap((repo) => (repo && authorize(writesContents, viewer, { repo }, { write: true }).allowed ? repo.id : []));
}

/** Whether a viewer who may not write to a fork may move some branch of it. */
export const mayModifySome = async (db: Db, viewer: Viewer, fork: Repo): Promise<boolean> =>
  (await findBases(db, viewer, fork)).length > 0;

/** Those of some branches of a fork, without `refs/heads/`, that a viewer may move who may not write to the fork. */
export async function findModifiable(db: Db, viewer: Viewer, fork: Repo, refs: readonly string[]): Promise<ReadonlySet<string>> {
  const bases = await findBases(db, viewer, fork);
  return new Set(await listModifiableRefs(db, fork.id, { bases, refs }));
}
