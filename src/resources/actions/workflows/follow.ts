// Following the workflow files of a default branch: the rows of workflows say what these files say.

import { LRUCache } from 'lru-cache';
import type { RepositoryRow } from '#access/viewer.ts';
import { change } from '#database/connect.ts';
import type { Scope } from '#endpoint/scope.ts';
import type { Oid } from '#git/objects/oid.ts';
import { findBranch } from '#git/refs/refs.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { gather } from '#lib/collections.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import { FilesTakeLong, listWorkflowFiles, type ReadingTime, readingTimeWhere, readWorkflowFiles } from './files.ts';
import { listAllWorkflows, markDeleted, putWorkflow } from './store.ts';

/** What follows a branch. A path resource has no scope to give. */
type Following = Pick<Scope, 'db' | 'git' | 'now'>;

type Followed = Pick<RepositoryRow, 'id' | 'owner_id' | 'default_branch'>;

/** The head of the default branch that this process last followed, by the folder of the repository. */
const followed = new LRUCache<string, string>({ max: 10_000 });

/** So often it begins again where the branch moves meanwhile. The push that moved it is followed by its event in any case. */
const maxTries = 3;

/**
 * Brings the workflows of a repository up to date with the files of its default branch.
 * @throws FilesTakeLong where these take longer than they may
 */
export async function followDefaultBranch(scope: Following, repository: Followed, time: ReadingTime): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const head = await findHead(scope, repository);
    if (head === undefined || (await followHead(scope, repository, head, time))) return;
  }
}

/**
 * The same for a request, which needn't wait for the event of a push: it costs no more than the look at a ref where nothing was
 * pushed. Files that take long are left to the event.
 */
export async function followAtRequest(scope: Following, repository: Followed): Promise<void> {
  const head = await findHead(scope, repository);
  if (head === undefined || followed.get(repoOf(scope.git, repository.id).path) === keyOf(repository, head)) return;
  try {
    await followDefaultBranch(scope, repository, readingTimeWhere(true));
  } catch (error) {
    if (!(error instanceof FilesTakeLong)) throw error;
  }
}

const keyOf = ({ default_branch }: Followed, head: Oid | null): string => `${head} ${default_branch}`;

/** Where the default branch is: null if there is none, undefined if the repository isn't there. */
async function findHead({ git }: Following, { id, default_branch }: Followed): Promise<Oid | null | undefined> {
  const gitRepository = repoOf(git, id);
  return (await repositoryExists(gitRepository)) ? ((await findBranch(gitRepository, default_branch))?.oid ?? null) : undefined;
}

/** Writes what the files of a head say. @returns false if the branch has moved since */
async function followHead(scope: Following, repository: Followed, head: Oid | null, time: ReadingTime): Promise<boolean> {
  const { db, git, now } = scope;
  const { id } = repository;
  const files = head ? await listWorkflowFiles(repoOf(git, id), head) : [];
  const known = await listAllWorkflows(db, id);
  if (files.length > 0 || known.length > 0) {
    const read = await readWorkflowFiles(files, { owner: repository.owner_id, time });
    const isCurrent = await change(db, async (tx) => {
      await lockRepository(tx, id);
      if ((await findHead(scope, repository)) !== head) return false;
      for (const [at, { path }] of files.entries()) {
        const parsed = read[at];
        const file = parsed && 'file' in parsed ? parsed.file : undefined;
        await putWorkflow(tx, { repository_id: id, path, name: file?.name ?? path, events: file?.events ?? null, now });
      }
      await markDeleted(tx, id, { except: gather(files, 'path'), now });
      return true;
    });
    if (!isCurrent) return false;
  }
  followed.set(repoOf(git, id).path, keyOf(repository, head));
  return true;
}
