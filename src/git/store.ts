import { chmod, mkdir, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Caller, system } from '#lib/caller.ts';
import { concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import { resourceLimits } from '#lib/limits.ts';
import { GitError } from './errors.ts';
import { installAttributes } from './maintenance/attributes.ts';
import { installHooks } from './maintenance/hooks.ts';
import { makeReaderPool } from './objects/reader-pool.ts';
import { inheritedEnvironment } from './process/environment.ts';
import { run, runText } from './process/run.ts';
import { checkRefName } from './refs/ref-name.ts';
import type { GitLimits, GitStore, Repo } from './repo.ts';

/** Opens the folder of all repositories, making it where it is missing. Disposing of it ends the open readers. */
export async function openGitStore(given: {
  root: string;
  env: NodeJS.ProcessEnv;
  limits?: Partial<GitLimits>;
}): Promise<GitStore> {
  const root = resolve(given.root);
  const limits = resourceLimits({ git: given.limits ?? {} }).git;
  const readers = makeReaderPool(limits);
  await mkdir(join(root, 'tmp'), { recursive: true, mode: 0o700 });
  await closeToOthers(root);
  await installHooks(root);
  await installAttributes(root);
  return {
    root,
    env: inheritedEnvironment(given.env),
    limits,
    commands: concurrencyLimiter('git.commands', {
      ...limits,
      total: limits.commands,
      perCaller: limits.commandsPerCaller,
      anonymous: limits.commandsAnonymous,
    }),
    transfers: concurrencyLimiter('git.transfers', {
      ...limits,
      total: limits.transfers,
      perCaller: limits.transfersPerCaller,
      anonymous: limits.transfersAnonymous,
    }),
    caller: system,
    readers,
    [Symbol.asyncDispose]: () => readers.closeAll(),
  };
}

/** Private repositories lie here: other accounts of the machine must not read them. A folder that isn't ours is the operator's to close. */
async function closeToOthers(root: string): Promise<void> {
  const { uid, mode } = await stat(root);
  if (uid === process.getuid?.() && (mode & 0o077) !== 0) await chmod(root, 0o700);
}

/** The same folder, with git running for a caller. */
export const storeFor = (store: GitStore, caller: Caller): GitStore => ({ ...store, caller });

/** The repository of this id, whether or not it is on disk. Folders hold a thousand repositories each. */
export function repoOf(store: GitStore, id: number): Repo {
  if (!Number.isSafeInteger(id) || id < 1) throw new GitError('invalid', 'A repository is named by its number');
  const shard = String(Math.floor(id / 1000)).padStart(2, '0');
  return { store, id, path: join(store.root, shard, `${id}.git`) };
}

/** Whether the repository is on disk. */
export async function repositoryExists(repo: Repo): Promise<boolean> {
  const found = await stat(join(repo.path, 'HEAD')).catch(() => undefined);
  return found !== undefined;
}

/** Removes a folder. What runs in it may end a little later, and still write: a folder that isn't empty is tried again. */
const clear = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 10 });

/** A repository that is built in a folder of its own and has no number yet. Disposing of it removes what wasn't moved to its place. */
export type RepositoryDraft = { readonly repo: Repo; [Symbol.asyncDispose](): Promise<void> };

/** Builds a repository beside all others. */
export async function draftRepository(store: GitStore, build: (repo: Repo) => Promise<void>): Promise<RepositoryDraft> {
  const folder = await mkdtemp(join(store.root, 'tmp', 'new-'));
  const repo = { store, id: 0, path: join(folder, 'repository.git') };
  try {
    await build(repo);
  } catch (error) {
    await clear(folder);
    throw error;
  }
  return { repo, [Symbol.asyncDispose]: () => clear(folder) };
}

/** Moves a draft to its place in one step: a crash leaves either nothing or all of it. */
export async function placeRepository({ repo: { store, path } }: RepositoryDraft, id: number): Promise<Repo> {
  const repo = repoOf(store, id);
  await store.readers.closeOf(path);
  await mkdir(dirname(repo.path), { recursive: true });
  await rename(path, repo.path).catch((error: unknown) => {
    throw new GitError('conflict', 'The repository is already on disk', String(error));
  });
  await syncFolder(dirname(repo.path));
  return repo;
}

/** Builds a repository beside its place, then moves it there. */
export async function buildRepository(repo: Repo, build: (draft: Repo) => Promise<void>): Promise<Repo> {
  if (await repositoryExists(repo)) throw new GitError('conflict', 'The repository is already on disk');
  await using draft = await draftRepository(repo.store, build);
  return await placeRepository(draft, repo.id);
}

/** Makes an empty repository whose HEAD names the default branch, which doesn't exist yet. */
export async function createRepository(store: GitStore, id: number, options: { defaultBranch: string }): Promise<Repo> {
  return buildRepository(repoOf(store, id), (draft) => initialise(draft, options.defaultBranch));
}

/** `git init` with nothing but what Git needs: no template, so no sample hooks and no description. */
export async function initialise(draft: Repo, defaultBranch: string): Promise<void> {
  checkRefName(`refs/heads/${defaultBranch}`);
  const { store, path } = draft;
  await run({ store }, [
    'init',
    '--quiet',
    '--bare',
    '--template=',
    '--object-format=sha1',
    `--initial-branch=${defaultBranch}`,
    path,
  ]);
}

/** Removes a repository from disk. It is moved away first, so that it is gone at once. If there is none, that is no error. */
export async function removeRepository(repo: Repo): Promise<void> {
  await repo.store.readers.closeOf(repo.path);
  const grave = await mkdtemp(join(repo.store.root, 'tmp', 'gone-'));
  const moved = await rename(repo.path, join(grave, 'repository.git')).then(
    () => true,
    () => false,
  );
  if (!moved && (await repositoryExists(repo))) throw new GitError('failed', 'The repository could not be removed');
  await clear(grave);
}

/** Bytes that the repository's objects take. */
export async function sizeOnDisk(repo: Repo): Promise<number> {
  const text = await runText(repo, ['count-objects', '-v']);
  const kibibytes = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  return 1024 * (kibibytes('size') + kibibytes('size-pack'));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
