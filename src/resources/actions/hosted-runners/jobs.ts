import type { Db } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { job } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import { addMinutes } from '#lib/time.ts';
import { NoMachines, type RunnerOrder } from '#runner-providers/provider.ts';
import { contentRemoval, enqueueProvisioning, enqueueRemoval, provisioning, removal } from './enqueue.ts';
import { findLatestVersion, findVersion } from './image-store.ts';
import { finishProvisioning, listUnprovisioned, loadRunner, type RunnerRow, removeRunner } from './store.ts';
import { parseVersion } from './versions.ts';

type Payload = { runner: Id<'hosted_runners'> };

/** Has the provider create a runner's machine. While that fails, the runner's status is `Stuck`, and the reason is stored. */
export const provisionRunner = job<Payload, JobContext>({
  ...provisioning,
  async run({ runner }, { db, change, services, now }) {
    const row = await loadRunner(db, runner);
    if (row?.status !== 'Provisioning' && row?.status !== 'Stuck') return;
    try {
      const { publicIps } = await services.runners.provider.provision(await orderFor(db, row));
      await change((scope) =>
        finishProvisioning(scope.tx, row, { status: 'Ready', problem: null, public_ips: [...publicIps], updated_at: now }),
      );
    } catch (error) {
      const problem = reasonOf(error);
      await change((scope) => finishProvisioning(scope.tx, row, { status: 'Stuck', problem, updated_at: now }));
      if (!(error instanceof NoMachines)) throw error;
    }
  },
});

/** Has the provider remove the machine of a deleted runner, then removes its row. */
export const removeRunnerMachine = job<Payload, JobContext>({
  ...removal,
  async run({ runner }, { db, change, services }) {
    const row = await loadRunner(db, runner);
    if (row?.status !== 'Deleting') return;
    await services.runners.provider.remove(runner);
    await change((scope) => removeRunner(scope.tx, runner));
  },
});

/** Has the provider delete the content of a deleted image version. */
export const dropImageContent = job<{ content: string }, JobContext>({
  ...contentRemoval,
  async run({ content }, { services }) {
    await services.runners.provider.drop(content);
  },
});

const retryAfterMinutes = 10;
const batchSize = 1_000;

/**
 * Enqueues the jobs of waiting runners again. The queue gives up after some attempts, and a provider may be unavailable for
 * longer.
 */
export const resumeRunners = job<Record<string, never>, JobContext>({
  name: 'hosted-runners.resume',
  attempts: 3,
  schedule: { cron: '*/10 * * * *' },
  async run(_payload, { db, change, now }: JobContext) {
    const waiting = await listUnprovisioned(db, { before: addMinutes(now, -retryAfterMinutes), limit: batchSize });
    const [toRemove = [], toProvision = []] = [true, false].map((isDeleting) =>
      waiting.filter(({ status }) => (status === 'Deleting') === isDeleting).map(({ id }) => id),
    );
    await change(async (scope) => {
      await enqueueRemoval(scope.tx, toRemove);
      await enqueueProvisioning(scope.tx, toProvision);
    });
  },
});

const maxReasonCharacters = 1_000;

/** What a provider says about its failure, as one line of bounded length. */
const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .replace(/[\s\0]+/g, ' ')
    .trim()
    .slice(0, maxReasonCharacters);

async function orderFor(db: Db, row: RunnerRow): Promise<RunnerOrder> {
  return {
    id: row.id,
    name: row.name,
    platform: row.platform,
    image: { source: row.image_source, id: row.image_id, content: await contentOf(db, row) },
    machine: { cpuCores: row.cpu_cores, memoryGb: row.memory_gb, storageGb: row.storage_gb },
    maximumRunners: row.maximum_runners,
    staticIp: row.static_ip,
  };
}

async function contentOf(db: Db, { custom_image_id: image, image_version }: RunnerRow): Promise<string | undefined> {
  if (image === null) return undefined;
  const number = image_version === null ? undefined : parseVersion(image_version);
  const version = number ? await findVersion(db, image, number) : await findLatestVersion(db, image);
  return version?.content ?? undefined;
}
