import type { RepositoryRow } from '#access/viewer.ts';
import type { Tx } from '#database/connect.ts';
import type { Progress } from '#git/process/progress.ts';
import { getDefaultBranch, listRefs } from '#git/refs/refs.ts';
import { importRepository as fetchInto } from '#git/transport/import.ts';
import { type Creation, createRepository } from './rules.ts';
import { updateRepository } from './store.ts';

export type Import = Omit<Creation, 'initialize' | 'from'> & { source: string; onProgress?: (progress: Progress) => void };

/**
 * Creates a repository with the branches and tags of another one: at an absolute path, or an http(s) address. The default branch
 * is the one that HEAD of the source names. For operators only: a path is read without access checks.
 */
export async function importRepository(tx: Tx, { source, onProgress, ...creation }: Import): Promise<RepositoryRow> {
  let head: string | undefined;
  const row = await createRepository(tx, {
    ...creation,
    async initialize(draft) {
      const disk = await fetchInto(creation.git, draft.id, { source, fallbackBranch: draft.default_branch, onProgress });
      head = (await getDefaultBranch(disk))?.name;
      const { rows } = await listRefs(disk, { prefix: 'refs/' });
      return rows.map(({ name, oid }) => ({ ref: name, before: null, after: oid, forced: false }));
    },
  });
  return head === undefined || head === row.default_branch ? row : updateRepository(tx, row.id, { default_branch: head });
}
