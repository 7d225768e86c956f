import { chmod, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Caller, system } from '#lib/caller.ts';
import { concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import { checkMarker } from '#lib/folder-marker.ts';
import { initialValues } from '#lib/limits.ts';
import { syncFolder } from '#lib/sync-folder.ts';
import { readEmptyRepository, writeEmptyRepository } from './empty-repository.ts';
import { GitError, storageMessage } from './errors.ts';
import { gitLimits } from './limits.ts';
import { installAttributes } from './maintenance/attributes.ts';
import { installHooks } from './maintenance/hooks.ts';
import { makeObjectCache } from './objects/object-cache.ts';
import { makeReaderPool } from './objects/reader-pool.ts';
import { inheritedEnvironment } from './process/environment.ts';
import { branchRef, checkRefName } from './refs/ref-name.ts';
import type { GitLimits, GitRepository, GitStore } from './repo.ts';

/** Opens the folder of all repositories, and creates it if it is missing. Disposal ends the open readers. */
export async function openGitStore(given: {
  root: string;
  env: NodeJS.ProcessEnv;
  limits?: Partial<GitLimits>;
  /** The id of the installation in the folder's marker. */
  installation?: string | undefined;
}): Promise<GitStore> {
  const root = resolve(given.root);
  const limits = { ...initialValues(gitLimits), ...given.limits };
  const readers = makeReaderPool(limits);
  await mkdir(join(root, 'tmp'), { recursive: true, mode: 0o700 });
  await restrictAccess(root);
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
      perAddress: limits.commandsPerAddress,
    }),
    transfers: concurrencyLimiter('git.transfers', {
      ...limits,
      total: limits.transfers,
      perCaller: limits.transfersPerCaller,
      anonymous: limits.transfersAnonymous,
      perAddress: limits.transfersPerAddress,
      contendedTime: limits.transferContendedTime,
      contendedRate: limits.transferContendedRate,
    }),
    caller: system,
    readers,
    cache: makeObjectCache(limits),
    checkStorage: () => checkStorage(root, given.installation),
    emptyRepository: onceDone(readEmptyRepository),
    [Symbol.asyncDispose]: () => readers.closeAll(),
  };
}

/** Does something once and keeps the result. After a failure, it tries again. */
function onceDone<Given, Made>(work: (given: Given) => Promise<Made>): (given: Given) => Promise<Made> {
  let done: Promise<Made> | undefined;
  return (given) => {
    done ??= work(given).catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}

/** Denies other accounts of the machine access to the folder, unless another account owns it. */
async function restrictAccess(root: string): Promise<void> {
  const { uid, mode } = await stat(root);
  if (uid === process.getuid?.() && (mode & 0o077) !== 0) await chmod(root, 0o700);
}

/** The same store, whose git processes count against a caller. */
export const storeFor = (store: GitStore, caller: Caller): GitStore => ({ ...store, caller });

/** The same store, whose git processes end when the signal is aborted. */
export const storeUntil = (store: GitStore, signal: AbortSignal): GitStore => ({ ...store, signal });

/** The repository with this id, whether or not it is on disk. */
export function repoOf(store: GitStore, id: number): GitRepository {
  if (!Number.isSafeInteger(id) || id < 1) throw new GitError('invalid', 'A repository is named by its number');
  return { store, id, path: repositoryPath(store.root, id) };
}

/** The folder of a repository. Each folder above has up to a thousand repositories. */
export const repositoryPath = (root: string, id: number): string =>
  join(root, String(Math.floor(id / 1000)).padStart(2, '0'), `${id}.git`);

/** Whether the repository is on disk. @throws GitError `unavailable` if the folder of all repositories can't be read */
export async function repositoryExists({ path, store }: GitRepository): Promise<boolean> {
  try {
    await stat(join(path, 'HEAD'));
    return true;
  } catch (error) {
    if (!isMissing(error)) throw new GitError('unavailable', storageMessage, String(error));
    await store.checkStorage();
    return false;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

/** Checks that the folder of all repositories is available. @throws GitError `unavailable` */
async function checkStorage(root: string, installation: string | undefined): Promise<void> {
  try {
    await (installation === undefined ? stat(join(root, 'tmp')) : checkMarker(root, installation));
  } catch (error) {
    throw new GitError('unavailable', storageMessage, String(error));
  }
}

/** Removes a folder. It retries, since ending processes may still write into it. */
const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 10 });

/** A repository in a temporary folder, without an id. Disposal removes the folder. */
export type RepositoryDraft = { readonly repo: GitRepository; [Symbol.asyncDispose](): Promise<void> };

async function makeTemporaryFolder(store: GitStore): Promise<string> {
  try {
    return await mkdtemp(join(store.root, 'tmp', 'new-'));
  } catch (error) {
    if (isMissing(error)) throw new GitError('unavailable', storageMessage, String(error));
    throw error;
  }
}

/** Builds a repository in a temporary folder. */
export async function draftRepository(store: GitStore, build: (repo: GitRepository) => Promise<void>): Promise<RepositoryDraft> {
  const folder = await makeTemporaryFolder(store);
  const repo = { store, id: 0, path: join(folder, 'repository.git') };
  try {
    await build(repo);
  } catch (error) {
    await removeFolder(folder);
    throw error;
  }
  return { repo, [Symbol.asyncDispose]: () => removeFolder(folder) };
}

/** Moves a draft to the path of its id, atomically. @throws GitError `conflict` if that repository exists */
export async function installRepository({ repo: { store, path } }: RepositoryDraft, id: number): Promise<GitRepository> {
  const repo = repoOf(store, id);
  await store.readers.closeOf(path);
  await mkdir(dirname(repo.path), { recursive: true });
  await rename(path, repo.path).catch((error: unknown) => {
    throw new GitError('conflict', 'The repository is already on disk', String(error));
  });
  await syncFolder(dirname(repo.path));
  return repo;
}

/** Builds a repository in a temporary folder, then moves it to its path. @throws GitError `conflict` if it exists */
export async function buildRepository(
  repo: GitRepository,
  build: (draft: GitRepository) => Promise<void>,
): Promise<GitRepository> {
  if (await repositoryExists(repo)) throw new GitError('conflict', 'The repository is already on disk');
  await using draft = await draftRepository(repo.store, build);
  return await installRepository(draft, repo.id);
}

/** Creates an empty repository. HEAD points to the default branch, which doesn't exist yet. */
export async function createRepository(store: GitStore, id: number, options: { defaultBranch: string }): Promise<GitRepository> {
  return buildRepository(repoOf(store, id), (draft) => initialise(draft, options.defaultBranch));
}

/** Makes an empty repository in a folder that doesn't exist yet. */
export async function initialise({ store, path }: GitRepository, defaultBranch: string): Promise<void> {
  checkRefName(branchRef(defaultBranch));
  await writeEmptyRepository(path, await store.emptyRepository(store), defaultBranch);
}

/** Removes a repository from disk, if it exists. It is first moved to a temporary folder, so that the removal is atomic. */
export async function removeRepository(repo: GitRepository): Promise<void> {
  await repo.store.readers.closeOf(repo.path);
  repo.store.cache.drop(repo);
  const trash = await mkdtemp(join(repo.store.root, 'tmp', 'gone-'));
  const moved = await rename(repo.path, join(trash, 'repository.git')).then(
    () => true,
    () => false,
  );
  if (!moved && (await repositoryExists(repo))) throw new GitError('failed', 'The repository could not be removed');
  await removeFolder(trash);
}
