import { join } from 'node:path';
import { gather, unique } from '#lib/collections.ts';
import { GitError, storageMessage } from './errors.ts';
import type { Identity } from './objects/identity.ts';
import { openObjects } from './objects/objects.ts';
import type { Oid } from './objects/oid.ts';
import { type NewObject, oidOf } from './objects/pack.ts';
import { commitBytes, writeObjects } from './objects/write-objects.ts';
import { failure, startTransfer } from './process/run.ts';
import { branchOf, branchRef } from './refs/ref-name.ts';
import { getDefaultBranch, listRefs } from './refs/refs.ts';
import { type NewRef, writeFirstRefs } from './refs/update-refs.ts';
import type { GitRepository, GitStore } from './repo.ts';
import { draftRepository, initialise, type RepositoryDraft, repositoryExists } from './store.ts';

/**
 * Copies repositories for forks and templates. A copy may have other readers than its source, and any object of a repository can
 * be fetched by its name. So a copy gets only the objects that are reachable from its refs, and none of hidden refs, deleted
 * branches or overwritten history.
 */

/** A copy without a repository id, and its refs. */
export type Copy = { draft: RepositoryDraft; refs: readonly NewRef[] };

type Wanted = {
  /** The only branch to copy. */
  branch?: string | undefined;
  /** Whether to copy the heads of pull requests too. */
  pulls?: boolean;
};

/** Copies all branches and tags with the source's HEAD, or one branch, to which HEAD then points. */
export async function copyRepository(source: GitRepository, { branch, pulls = false }: Wanted = {}): Promise<Copy> {
  await mustExist(source);
  const { rows } = await listRefs(source, { prefix: 'refs/' });
  const isWanted = (name: string) => isBranchOrTag(name) || (pulls && pullHead.test(name));
  const refs = rows.filter(({ name }) => (branch === undefined ? isWanted(name) : name === branchRef(branch)));
  const draft = await draftRepository(source.store, async (repo) => {
    await initialise(repo, branch ?? (await getDefaultBranch(source))?.name ?? 'main');
    await copyObjects(source, repo, unique(refs.map(({ oid }) => oid)));
    await writeFirstRefs(repo, refs);
  });
  return { draft, refs };
}

const pullHead = /^refs\/pull\/\d+\/head$/;
const isBranchOrTag = (name: string): boolean => branchOf(name) !== undefined || name.startsWith('refs/tags/');

/** An empty repository, as the copy of a source that isn't on disk. */
export const copyEmpty = async (store: GitStore, defaultBranch: string): Promise<Copy> => ({
  draft: await draftRepository(store, (repo) => initialise(repo, defaultBranch)),
  refs: [],
});

type Snapshot = { branches: readonly NewRef[]; defaultBranch: string; by: Identity; message: string };

/** Copies the files of these branches, each as one commit without history. */
export async function copySnapshots(source: GitRepository, { branches, defaultBranch, by, message }: Snapshot): Promise<Copy> {
  await mustExist(source);
  const trees = await treesOf(source, branches);
  const commits = trees.map(({ name, tree }) => {
    const commit: NewObject = { type: 'commit', data: commitBytes({ tree, parents: [], author: by, committer: by, message }) };
    return { commit, ref: { name, oid: oidOf(commit) } };
  });
  const refs = commits.map(({ ref }) => ref);
  const draft = await draftRepository(source.store, async (repo) => {
    await initialise(repo, defaultBranch);
    await copyObjects(source, repo, unique(gather(trees, 'tree')));
    await writeObjects(
      repo,
      commits.map(({ commit }) => commit),
    );
    await writeFirstRefs(repo, refs);
  });
  return { draft, refs };
}

async function mustExist(source: GitRepository): Promise<void> {
  if (!(await repositoryExists(source))) throw new GitError('unavailable', storageMessage, `${source.path} is missing`);
}

/** The tree of each ref. */
async function treesOf(source: GitRepository, refs: readonly NewRef[]): Promise<{ name: string; tree: Oid }[]> {
  await using reader = await openObjects(source);
  return Promise.all(
    refs.map(async ({ name, oid }) => {
      const tree = await reader.findInfo(oid, { peel: 'tree' });
      if (!tree) throw new GitError('not-found', 'The commit has no tree', oid);
      return { name, tree: tree.oid };
    }),
  );
}

/** Writes a pack of all objects that are reachable from `tips` into an empty repository. It reuses compressed data and deltas. */
async function copyObjects(source: GitRepository, draft: GitRepository, tips: readonly Oid[]): Promise<void> {
  if (tips.length === 0) return;
  const objects = join(draft.path, 'objects');
  const withSource = { ...draft, quarantine: { objects, alternates: join(source.path, 'objects') } };
  const args = ['pack-objects', '--revs', '--delta-base-offset', '--quiet', join(objects, 'pack', 'pack')];
  // `pack-objects` prints nothing while it works, so only the time limit of a whole transfer applies.
  const packing = await startTransfer(withSource, args, { idle: 0 });
  packing.stdout.resume();
  packing.stdin.end(tips.map((oid) => `${oid}\n`).join(''));
  const { code, cause } = await packing.ended;
  if (cause) throw cause;
  if (code !== 0) throw failure(args, packing.stderr());
}
