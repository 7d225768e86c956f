import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import { advanceRunOf } from '../planning/advance.ts';
import { runScope } from '../planning/contexts.ts';
import { endOfWait } from './environments.ts';
import { listRunsWaitingFor } from './store.ts';

/** Looks at a run again when the time that an environment demands is over. */
export const endWait = job<{ run: Id<'workflow_runs'> }, JobContext>({
  ...endOfWait,
  async run({ run }, { scope }) {
    const { change } = runScope(scope);
    await change((scope) => advanceRunOf(scope, run));
  },
});

/** Looks at the runs again that wait for an environment whose rules have changed, or that was deleted. */
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
