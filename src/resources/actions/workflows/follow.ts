// Keeps the rows of workflows up to date with the workflow files of default branches.

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

/** What following a branch needs. A path resource can't provide a full scope. */
type Following = Pick<Scope, 'db' | 'git' | 'now'>;

type Followed = Pick<RepositoryRow, 'id' | 'owner_id' | 'default_branch'>;

/** The head of the default branch that this process last processed, by the folder of the repository. */
const followed = new LRUCache<string, string>({ max: 10_000 });

/** How often it starts again if the branch moves meanwhile. The event of the push updates the workflows in any case. */
const maxTries = 3;

/**
 * Updates the workflows of a repository from the files of its default branch.
 * @throws FilesTakeLong if that exceeds the time limit
 */
export async function followDefaultBranch(scope: Following, repository: Followed, time: ReadingTime): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const head = await findHead(scope, repository);
    if (head === undefined || (await followHead(scope, repository, head, time))) return;
  }
}

/**
 * Updates workflows for a request, without waiting for the event of a push. If nothing was pushed, this only reads a ref. Files
 * that take long are left to the event.
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

/** The head of the default branch: null if the branch doesn't exist, undefined if the repository doesn't. */
async function findHead({ git }: Following, { id, default_branch }: Followed): Promise<Oid | null | undefined> {
  const gitRepository = repoOf(git, id);
  return (await repositoryExists(gitRepository)) ? ((await findBranch(gitRepository, default_branch))?.oid ?? null) : undefined;
}

/** Writes the workflows of a head. @returns false if the branch has moved since */
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
