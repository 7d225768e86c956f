import type { RepositoryRow } from '#access/viewer.ts';
import type { Oid } from '#git/oid.ts';
import { listRefs } from '#git/refs.ts';
import type { Repo as Disk } from '#git/repo.ts';
import { findRevision } from '#git/resolve.ts';
import { conflict, Refusal } from '#lib/refusal.ts';

export const emptyRepository = (): Refusal => conflict('Git Repository is empty.');

/** Whether a repository has no branches. Most endpoints that read commits or files refuse it then, all with the same refusal. */
export const isEmpty = async (disk: Disk): Promise<boolean> =>
  (await listRefs(disk, { prefix: 'refs/heads/', limit: 1 })).total === 0;

type Wanted = {
  repo: Pick<RepositoryRow, 'default_branch'>;
  /** A branch, a tag or a commit; the default branch where it is absent. */
  revision: string | undefined;
  /** Makes the refusal of a revision that leads to no commit. */
  refuse: () => Refusal;
};

/** The commit that a revision names. */
export async function getCommitOid(disk: Disk, { repo, revision, refuse }: Wanted): Promise<Oid> {
  const text = revision === undefined || revision === '' ? `refs/heads/${repo.default_branch}` : revision;
  const found = await findRevision(disk, text, { peel: 'commit' });
  if (found?.type === 'commit') return found.oid;
  throw (await isEmpty(disk)) ? emptyRepository() : refuse();
}

/** Refuses a list of more refs than fit into one reply. */
export function checkRefCount(total: number, most: number): void {
  if (total <= most) return;
  const message = `${total} references match, and one reply holds at most ${most}: name more of what they begin with`;
  throw new Refusal('invalid', message, [], { limit: 'lists.refs' });
}
