import type { EventsConfig } from '@actions/workflow-parser/model/workflow-template';
import type { JobContext } from '#endpoint/job-context.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { job } from '#jobs/job.ts';
import { gather } from '#lib/collections.ts';
import { createRun, headCommitOf, readCalledFiles, runScope } from '#resources/actions/workflow-runs/index.ts';
import { findWorkflowFile, listScheduled, passScheduled, type WorkflowRow } from '#resources/actions/workflows/index.ts';
import { loadNamedRepositories, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { nextRunOf } from '#workflow-files/schedule.ts';

const batchSize = 500;

/** Runs the workflows whose time has come. One whose time passed while no worker ran runs once, late. */
export const runSchedules = job<Record<string, never>, JobContext>({
  name: 'workflow-triggers.schedule',
  attempts: 1,
  schedule: { cron: '* * * * *', atStart: true },
  async run(_payload, context) {
    const due = await listScheduled(context.db, { until: context.now, limit: batchSize });
    const repositories = await loadNamedRepositories(context.db, gather(due, 'repository_id'));
    for (const workflow of due) {
      const repository = repositories.get(workflow.repository_id);
      if (!repository || repository.archived) continue;
      try {
        await runScheduled(context, workflow, repository);
      } catch (error) {
        // One workflow that fails doesn't stop the schedules of others: its time passes.
        context.log.error({ err: error, workflow: workflow.id }, 'a scheduled workflow could not run');
        const next = (await nextRunOf((workflow.events ?? {}) as EventsConfig, context.now))?.at ?? null;
        await context.change((scope) => passScheduled(scope.tx, workflow, next));
      }
    }
  },
});

async function runScheduled(
  { scope, services, now }: JobContext,
  workflow: WorkflowRow,
  repository: RepositoryWithOwner,
): Promise<void> {
  const gitRepository = repoOf(services.git, repository.id);
  const ref = branchRef(repository.default_branch);
  const commit = (await repositoryExists(gitRepository)) ? await headCommitOf(gitRepository, ref) : undefined;
  const file = commit && (await findWorkflowFile(gitRepository, commit.id, workflow.path));
  const events = (workflow.events ?? {}) as EventsConfig;
  // What was due is the first time after the one before it, which is at most some minutes ago.
  const due = await nextRunOf(events, new Date((workflow.next_run_at ?? now).getTime() - 1));
  const next = await nextRunOf(events, now);
  const called = file && (await readCalledFiles(scope, { repository, ref, commit: commit.id }, file));
  await runScope(scope).change(async (scope) => {
    if (!(await passScheduled(scope.tx, workflow, next?.at ?? null)) || !commit || !file || !called) return;
    await createRun(scope, {
      repository,
      ...file,
      called,
      event: 'schedule',
      payload: { schedule: due?.cron ?? '' },
      title: workflow.name,
      head: { branch: repository.default_branch, commit, repository: repository.id },
      ref,
      sha: commit.id,
      actor: repository.created_by ?? repository.owner_id,
    });
  });
}
