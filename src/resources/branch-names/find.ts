import { findRef, type Ref } from '#git/refs/refs.ts';
import type { Repo as Disk } from '#git/repo.ts';
import { Refusal } from '#lib/refusal.ts';

export const heads = 'refs/heads/';

/** A branch, with its name without `refs/heads/`. */
export type BranchRef = Ref & { short: string };

/** The name of a branch without `refs/heads/`. */
export const shortNameOf = (name: string): string => (name.startsWith(heads) ? name.slice(heads.length) : name);

export const branchNotFound = (): Refusal => new Refusal('not_found', 'Branch not found');

/** A branch by its name without `refs/heads/`. */
export async function findBranch(disk: Disk, short: string): Promise<BranchRef | undefined> {
  const ref = await findRef(disk, heads + short);
  return ref && { ...ref, short };
}
