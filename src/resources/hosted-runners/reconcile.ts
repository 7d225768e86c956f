import type { Services } from '#endpoint/services.ts';
import { type JobContext, job } from '#jobs/job.ts';
import { gather, keyed } from '#lib/collections.ts';
import { Refusal } from '#lib/refusal.ts';
import { addSeconds } from '#lib/time.ts';
import type { Observation, PublishRequest } from '#runner-providers/provider.ts';
import { listForgotten } from './image-store.ts';
import { publishImage } from './publish.ts';
import { loadRunners, noteActivity, type RunnerRow, reprovisionLost } from './store.ts';
import { askToProvision } from './work.ts';

/** A runner that became ready just now may be missing among the machines seen, and isn't lost. */
const settlingSeconds = 60;

/**
 * Compares what the provider sees with the rows: provisions runners whose machine is gone, removes machines and contents that
 * belong to no row, and publishes the images that jobs asked for.
 */
export const reconcileRunners = job<Record<string, never>, Services>({
  name: 'hosted-runners.watch',
  attempts: 1,
  schedule: { cron: '* * * * *', atStart: true },
  async run(_payload, context) {
    const { db, change, services, now } = context;
    const { provider } = services.runners;
    const seen = await provider.observe();
    if (!seen) return;
    // Rows are read after the machines were seen. Since a row is written before its machine is made, none is missed.
    const alive = seen.runners.filter(({ isRunning }) => isRunning).map(({ runner }) => runner);
    const known = keyed(await loadRunners(db, gather(seen.runners, 'runner')), ({ id }) => id);
    await change(async (tx) => {
      await askToProvision(tx, await reprovisionLost(tx, { alive, before: addSeconds(now, -settlingSeconds), now }));
      await noteActivity(tx, seen.runners.flatMap(activityOf));
    });
    for (const observation of seen.runners) {
      const row = known.get(observation.runner);
      if (!row) await provider.remove(observation.runner);
      else if (observation.publishRequest) await answerPublishRequest(context, row, observation.publishRequest);
    }
    for (const content of await listForgotten(db, seen.contents)) await provider.drop(content);
  },
});

const activityOf = ({ runner, lastActiveOn }: Observation) => (lastActiveOn ? [{ runner, at: lastActiveOn }] : []);

/** Publishes what a job asked for, or tells it why not. */
async function answerPublishRequest(
  { db, change, services, now }: JobContext<Services>,
  row: RunnerRow,
  request: PublishRequest,
): Promise<void> {
  const { provider } = services.runners;
  try {
    const publication = { organization: row.organization_id, runner: row.name, ...request };
    const { version } = await publishImage({ db, change, provider, now }, publication);
    await provider.answer(row.id, { version });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await provider.answer(row.id, { refused: error.errors[0]?.message ?? error.message });
  }
}
