import type { Services } from '#endpoint/services.ts';
import { batchSubscription } from '#events/subscription.ts';
import { findBranch } from '#git/refs/refs.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import type { JobContext } from '#jobs/job.ts';
import { gather, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { loadNamedRepositories } from '#resources/repositories/index.ts';
import { listWorkflowFiles, readWorkflowFile } from './files.ts';
import { listAllWorkflows, markDeleted, putWorkflow } from './store.ts';

type Changes = 'push' | 'repository.imported' | 'repository.default_branch_changed';

/** Follows the workflow files of default branches. */
export const followFiles = batchSubscription<Changes, Services>({
  name: 'workflows.follow-files',
  on: ['push', 'repository.imported', 'repository.default_branch_changed'],
  attempts: 25,
  batch: 50,
  async runAll(events, context) {
    const repositories = await loadNamedRepositories(context.db, unique(gather(events, 'repository')));
    for (const { id, default_branch } of repositories.values()) await follow(id, default_branch, context);
  },
});

async function follow(
  id: Id<'repositories'>,
  branch: string,
  { db, change, services, now }: JobContext<Services>,
): Promise<void> {
  const disk = repoOf(services.git, id);
  if (!(await repositoryExists(disk))) return;
  const head = await findBranch(disk, branch);
  const files = head ? await listWorkflowFiles(disk, head.oid) : [];
  const known = await listAllWorkflows(db, id);
  if (files.length === 0 && known.length === 0) return;
  const read = await Promise.all(files.map(async (file) => ({ path: file.path, parsed: await readWorkflowFile(file) })));
  await change(async (tx) => {
    for (const { path, parsed } of read) {
      const file = 'file' in parsed ? parsed.file : undefined;
      await putWorkflow(tx, { repository_id: id, path, name: file?.name ?? path, events: file?.events ?? null, now });
    }
    await markDeleted(tx, id, { except: gather(files, 'path'), now });
  });
}
