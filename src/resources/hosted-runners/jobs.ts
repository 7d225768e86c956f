import type { Db } from '#database/connect.ts';
import type { Services } from '#endpoint/services.ts';
import { job } from '#jobs/job.ts';
import type { Id } from '#lib/id.ts';
import { addMinutes } from '#lib/time.ts';
import type { RunnerOrder } from '#runner-providers/provider.ts';
import { findLatestVersion, findVersion } from './image-store.ts';
import { finishProvisioning, listUnprovisioned, loadRunner, type RunnerRow, removeRunner } from './store.ts';
import { parseVersion } from './versions.ts';
import { askToProvision, askToRemove, contentRemoval, provisioning, removal } from './work.ts';

type Payload = { runner: Id<'hosted_runners'> };

/** Has the provider make the machine that a runner's row describes. While that fails, the runner is `Stuck`. */
export const provisionRunner = job<Payload, Services>({
  ...provisioning,
  async run({ runner }, { db, change, services, now }) {
    const row = await loadRunner(db, runner);
    if (row?.status !== 'Provisioning' && row?.status !== 'Stuck') return;
    try {
      const { publicIps } = await services.runners.provider.provision(await orderFor(db, row));
      await change((tx) => finishProvisioning(tx, row, { status: 'Ready', public_ips: [...publicIps], updated_at: now }));
    } catch (error) {
      await change((tx) => finishProvisioning(tx, row, { status: 'Stuck', updated_at: now }));
      throw error;
    }
  },
});

/** Has the provider remove the machine of a deleted runner, then removes its row. */
export const removeRunnerMachine = job<Payload, Services>({
  ...removal,
  async run({ runner }, { db, change, services }) {
    const row = await loadRunner(db, runner);
    if (row?.status !== 'Deleting') return;
    await services.runners.provider.remove(runner);
    await change((tx) => removeRunner(tx, runner));
  },
});

/** Has the provider delete what it keeps of deleted image versions. */
export const dropImageContent = job<{ content: string }, Services>({
  ...contentRemoval,
  async run({ content }, { services }) {
    await services.runners.provider.drop(content);
  },
});

const patienceMinutes = 10;
const batchSize = 1_000;

/** Adds the jobs of runners that have waited too long, since the queue gives up after some tries and a provider may be away longer. */
export const resumeRunners = job<Record<string, never>, Services>({
  name: 'hosted-runners.resume',
  attempts: 3,
  schedule: { cron: '*/10 * * * *' },
  async run(_payload, { db, change, now }) {
    const waiting = await listUnprovisioned(db, { before: addMinutes(now, -patienceMinutes), limit: batchSize });
    const [leaving = [], staying = []] = [true, false].map((isLeaving) =>
      waiting.filter(({ status }) => (status === 'Deleting') === isLeaving).map(({ id }) => id),
    );
    await change(async (tx) => {
      await askToRemove(tx, leaving);
      await askToProvision(tx, staying);
    });
  },
});

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
