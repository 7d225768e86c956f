import { join } from 'node:path';
import { gather, unique } from '#lib/collections.ts';
import { GitError } from './errors.ts';
import type { Identity } from './objects/identity.ts';
import { openObjects } from './objects/objects.ts';
import type { Oid } from './objects/oid.ts';
import { type NewObject, oidOf } from './objects/pack.ts';
import { commitBytes, writeObjects } from './objects/write-objects.ts';
import { failure, startTransfer } from './process/run.ts';
import { getDefaultBranch, listRefs } from './refs/refs.ts';
import { type NewRef, writeFirstRefs } from './refs/update-refs.ts';
import type { GitStore, Repo } from './repo.ts';
import { draftRepository, initialise, type RepositoryDraft, repositoryExists } from './store.ts';

/**
 * Copies for forks and of templates. A copy may have other readers than its source, and whatever lies in a repository can be read
 * there by its name. So a copy gets the objects that its refs lead to, and no others: nothing of hidden refs, of deleted branches, or
 * of a history that was replaced.
 */

/** A copy that has no number yet, and its refs. */
export type Copy = { draft: RepositoryDraft; refs: readonly NewRef[] };

/** Copies branches and tags, or one branch. HEAD is that of the source, or names the branch. */
export async function copyRepository(source: Repo, { branch }: { branch?: string | undefined } = {}): Promise<Copy> {
  await mustExist(source);
  const { rows } = await listRefs(source, { prefix: 'refs/' });
  const refs = rows.filter(({ name }) => (branch === undefined ? isBranchOrTag(name) : name === heads + branch));
  const draft = await draftRepository(source.store, async (repo) => {
    await initialise(repo, branch ?? (await getDefaultBranch(source))?.name ?? 'main');
    await copyObjects(source, repo, unique(refs.map(({ oid }) => oid)));
    await writeFirstRefs(repo, refs);
  });
  return { draft, refs };
}

const heads = 'refs/heads/';
const isBranchOrTag = (name: string): boolean => name.startsWith(heads) || name.startsWith('refs/tags/');

/** An empty repository, as the copy of one whose folder isn't there. */
export const copyNothing = async (store: GitStore, defaultBranch: string): Promise<Copy> => ({
  draft: await draftRepository(store, (repo) => initialise(repo, defaultBranch)),
  refs: [],
});

type Snapshot = { branches: readonly NewRef[]; defaultBranch: string; by: Identity; message: string };

/** Copies the files of these branches of a repository, each as one commit without history. */
export async function copySnapshots(source: Repo, { branches, defaultBranch, by, message }: Snapshot): Promise<Copy> {
  await mustExist(source);
  const trees = await treesOf(source, branches);
  const begun = trees.map(({ name, tree }) => {
    const commit: NewObject = { type: 'commit', data: commitBytes({ tree, parents: [], author: by, committer: by, message }) };
    return { commit, ref: { name, oid: oidOf(commit) } };
  });
  const refs = begun.map(({ ref }) => ref);
  const draft = await draftRepository(source.store, async (repo) => {
    await initialise(repo, defaultBranch);
    await copyObjects(source, repo, unique(gather(trees, 'tree')));
    await writeObjects(
      repo,
      begun.map(({ commit }) => commit),
    );
    await writeFirstRefs(repo, refs);
  });
  return { draft, refs };
}

async function mustExist(source: Repo): Promise<void> {
  if (!(await repositoryExists(source))) throw new GitError('not-found', 'The repository is not on disk');
}

/** The tree of each ref. */
async function treesOf(source: Repo, refs: readonly NewRef[]): Promise<{ name: string; tree: Oid }[]> {
  await using reader = await openObjects(source);
  return Promise.all(
    refs.map(async ({ name, oid }) => {
      const tree = await reader.findInfo(oid, { peel: 'tree' });
      if (!tree) throw new GitError('not-found', 'The commit has no tree', oid);
      return { name, tree: tree.oid };
    }),
  );
}

/** Writes a pack of what these objects lead to into a repository without objects. Compressed data and deltas are taken as they are. */
async function copyObjects(source: Repo, draft: Repo, tips: readonly Oid[]): Promise<void> {
  if (tips.length === 0) return;
  const objects = join(draft.path, 'objects');
  const reading = { ...draft, quarantine: { objects, alternates: join(source.path, 'objects') } };
  const args = ['pack-objects', '--revs', '--delta-base-offset', '--quiet', join(objects, 'pack', 'pack')];
  // While it works, git says nothing: the time for a whole transfer is its limit.
  const packing = await startTransfer(reading, args, { idle: 0 });
  packing.stdout.resume();
  packing.stdin.end(tips.map((oid) => `${oid}\n`).join(''));
  const { code, cause } = await packing.ended;
  if (cause) throw cause;
  if (code !== 0) throw failure(args, packing.stderr());
}
