import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import { advanceRunOf } from '../planning/advance.ts';
import { runScope } from '../planning/contexts.ts';
import { endOfWait } from './environments.ts';
import { listRunsWaitingFor } from './store.ts';

/** Continues a run when the wait timer of an environment has ended. */
export const endWait = job<{ run: Id<'workflow_runs'> }, JobContext>({
  ...endOfWait,
  async run({ run }, { scope }) {
    const { change } = runScope(scope);
    await change((scope) => advanceRunOf(scope, run));
  },
});

/** Continues the runs that wait for an environment after its rules have changed or it was deleted. */
export const followEnvironments = subscription<'environment.edited' | 'environment.deleted', JobContext>({
  name: 'workflow-runs.follow-environments',
  on: ['environment.edited', 'environment.deleted'],
  attempts: 25,
  async run(event, { db, scope }) {
    if (event.repository === undefined) return;
    const { change } = runScope(scope);
    const environment = event.kind === 'environment.edited' ? event.data.environment : undefined;
    for (const run of await listRunsWaitingFor(db, event.repository, environment))
      await change((scope) => advanceRunOf(scope, run));
  },
});
