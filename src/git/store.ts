import { mkdir, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Caller, system } from '#lib/caller.ts';
import { concurrencyLimiter } from '#lib/concurrency-limiter.ts';
import { resourceLimits } from '#lib/limits.ts';
import { installAttributes } from './attributes.ts';
import { inheritedEnvironment } from './environment.ts';
import { GitError } from './errors.ts';
import { installHooks } from './hooks.ts';
import { makeReaderPool } from './reader-pool.ts';
import { checkRefName } from './ref-name.ts';
import type { GitLimits, GitStore, Repo } from './repo.ts';
import { run, runText } from './run.ts';

/** Opens the folder of all repositories, making it where it is missing. Disposing of it ends the open readers. */
export async function openGitStore(given: {
  root: string;
  env: NodeJS.ProcessEnv;
  limits?: Partial<GitLimits>;
}): Promise<GitStore> {
  const root = resolve(given.root);
  const limits = resourceLimits({ git: given.limits ?? {} }).git;
  const readers = makeReaderPool(limits);
  await mkdir(join(root, 'tmp'), { recursive: true });
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

/** Builds a repository beside its place, then moves it there in one step: a crash leaves either nothing or all of it. */
export async function buildRepository(repo: Repo, build: (draft: Repo) => Promise<void>): Promise<Repo> {
  if (await repositoryExists(repo)) throw new GitError('conflict', 'The repository is already on disk');
  const draftPath = join(await mkdtemp(join(repo.store.root, 'tmp', 'new-')), 'repository.git');
  try {
    await build({ store: repo.store, id: repo.id, path: draftPath });
    await mkdir(dirname(repo.path), { recursive: true });
    await rename(draftPath, repo.path).catch((error: unknown) => {
      throw new GitError('conflict', 'The repository is already on disk', String(error));
    });
    await syncFolder(dirname(repo.path));
  } finally {
    await clear(dirname(draftPath));
  }
  return repo;
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

/**
 * Copies branches and tags into a new repository, for a fork. Object files are linked where the file system can (they
 * never change), so that the copy stays whole when its source is removed.
 */
export async function copyRepository(source: Repo, id: number): Promise<Repo> {
  if (!(await repositoryExists(source))) throw new GitError('not-found', 'The repository is not on disk');
  const { store } = source;
  return buildRepository(repoOf(store, id), async (draft) => {
    const head = await runText(source, ['symbolic-ref', '--quiet', 'HEAD'], { codes: [0, 1] });
    await run({ store }, ['clone', '--quiet', '--bare', '--template=', '--local', '--', source.path, draft.path], {
      kind: 'transfer',
    });
    await run(draft, ['config', '--remove-section', 'remote.origin']);
    if (head.trim() !== '') await run(draft, ['symbolic-ref', 'HEAD', head.trim()]);
  });
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
