// Workflow files that enter an organization with a whole repository. They run with its secrets, like pushed ones.

import { findHeld } from '#access/lookup.ts';
import type { Account, RepositoryRow, SignedIn } from '#access/viewer.ts';
import { workflowFileAccess, workflowFileMessage } from '#access/workflow-files.ts';
import type { Db } from '#database/connect.ts';
import type { Scope } from '#endpoint/scope.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { heads } from '#git/refs/ref-name.ts';
import { listRefNames } from '#git/refs/refs.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { chunks, gather, unique } from '#lib/collections.ts';
import { forbidden } from '#lib/refusal.ts';
import { workflowFolders } from '#workflow-files/file.ts';

/** The number of commits whose folders are looked up in one round trip. */
const commitsPerBatch = 1_000;

/** A workflow folder in one of the given commits. */
export async function findWorkflowFolder(gitRepository: GitRepository, commits: readonly Oid[]): Promise<string | undefined> {
  await using reader = await openObjects(gitRepository, { isBulk: true });
  for (const some of chunks(unique(commits), commitsPerBatch))
    for (const path of workflowFolders) {
      const found = await Promise.all(some.map((oid) => reader.findInfo(oid, { path })));
      if (found.some((info) => info !== undefined)) return path;
    }
  return undefined;
}

type Arrival = { readonly by: SignedIn; readonly owner: Account; readonly source: Pick<RepositoryRow, 'owner_id'> };

/**
 * Refuses to bring workflow files into an organization with a credential that may not write them. Files that come from a
 * repository of the same organization are allowed.
 * @param find finds a workflow folder in the incoming contents
 * @throws Refusal 403
 */
export async function checkArriving(
  db: Db,
  { by, owner, source }: Arrival,
  find: () => Promise<string | undefined>,
): Promise<void> {
  if (owner.kind !== 'organization' || owner.id === source.owner_id) return;
  const access = workflowFileAccess(by.grant, { held: await findHeld(db, by.grant, owner.id) });
  if (access.allowed) return;
  const folder = await find();
  if (folder !== undefined) throw forbidden(workflowFileMessage(access, folder));
}

/** Checks a repository before its transfer, with all of its branches and tags. */
export const checkTransferred = (
  { db, git }: Scope,
  { by, owner, source }: Arrival & { readonly source: RepositoryRow },
): Promise<void> =>
  checkArriving(db, { by, owner, source }, async () => {
    const gitRepository = repoOf(git, source.id);
    if (!(await repositoryExists(gitRepository))) return undefined;
    const [branches, tags] = await Promise.all([heads, 'refs/tags/'].map((prefix) => listRefNames(gitRepository, prefix)));
    return findWorkflowFolder(gitRepository, gather([...(branches ?? []), ...(tags ?? [])], 'oid'));
  });
