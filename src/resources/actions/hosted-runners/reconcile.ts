import type { JobContext } from '#endpoint/job-context.ts';
import { job } from '#jobs/job.ts';
import { gather, keyed } from '#lib/collections.ts';
import { Refusal } from '#lib/refusal.ts';
import { addSeconds } from '#lib/time.ts';
import type { Observation, PublishRequest } from '#runner-providers/provider.ts';
import { enqueueProvisioning } from './enqueue.ts';
import { listOrphanedContents } from './image-store.ts';
import { publishImage } from './publish.ts';
import { loadRunners, type RunnerRow, reprovisionLost, updateLastActive } from './store.ts';

/** How long a runner that has just become ready may be missing among the observed machines without being lost. */
const graceSeconds = 60;

/**
 * Compares the provider's machines with the rows: provisions runners whose machine is gone, removes machines and contents that
 * belong to no row, and publishes the images that workflow jobs requested.
 */
export const reconcileRunners = job<Record<string, never>, JobContext>({
  name: 'hosted-runners.watch',
  attempts: 1,
  schedule: { cron: '* * * * *', atStart: true },
  async run(_payload, context) {
    const { db, change, services, now } = context;
    const { provider } = services.runners;
    const observed = await provider.observe();
    // Rows are read after the machines were observed. Since a row is written before its machine is created, no row is missed.
    const running = observed.runners.filter(({ isRunning }) => isRunning).map(({ runner }) => runner);
    const known = keyed(await loadRunners(db, gather(observed.runners, 'runner')), ({ id }) => id);
    await change(async (scope) => {
      await enqueueProvisioning(
        scope.tx,
        await reprovisionLost(scope.tx, { running, before: addSeconds(now, -graceSeconds), now }),
      );
      await updateLastActive(scope.tx, observed.runners.flatMap(activityOf));
    });
    for (const observation of observed.runners) {
      const row = known.get(observation.runner);
      if (!row) await provider.remove(observation.runner);
      else if (observation.publishRequest) await answerPublishRequest(context, row, observation.publishRequest);
    }
    for (const content of await listOrphanedContents(db, observed.contents)) await provider.drop(content);
  },
});

const activityOf = ({ runner, lastActiveOn }: Observation) => (lastActiveOn ? [{ runner, at: lastActiveOn }] : []);

/** Publishes the image that a workflow job requested, or answers with the reason for refusing it. */
async function answerPublishRequest({ scope, services }: JobContext, row: RunnerRow, request: PublishRequest): Promise<void> {
  const { provider } = services.runners;
  try {
    const publication = { organization: row.organization_id, runner: row.name, ...request };
    const { version } = await publishImage(scope, publication);
    await provider.answer(row.id, { version });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await provider.answer(row.id, { refused: error.errors[0]?.message ?? error.message });
  }
}
