/**
 * How an owner is affected by another owner with 320 unresponsive receivers and waiting deliveries: how long after queuing each
 * of its deliveries arrives.
 *
 *   node bench/webhooks/owners.ts [seconds, default 30] [waiting deliveries, default 100000]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openStage, startWorkerProcess } from './stage.ts';

const seconds = Number(process.argv[2] ?? 30);
const waiting = Number(process.argv[3] ?? 100_000);
const betweenMs = 250;

await using stage = await openStage();
const hanging = await stage.hooks(Array.from({ length: 320 }, (_, i) => `/hang/${i}`));
const healthy = await stage.hooks(['/healthy'], await stage.organization('other'));
await stage.queue(hanging, waiting);
const worker = await startWorkerProcess(stage);
await sleep(1_000); // all these receivers are now unresponsive
const queued = new Map<string, number>();
const end = Date.now() + seconds * 1000;
while (Date.now() < end) {
  const at = Date.now();
  for (const guid of await stage.queue(healthy, 1)) queued.set(guid, at);
  await sleep(betweenMs);
}
await sleep(2_000);
worker.kill();
const { taken } = await stage.received();
const waits = taken.flatMap(({ guid, at }) => at - (queued.get(guid) ?? at)).sort((one, other) => one - other);
const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))];
console.log(
  `${waits.length} of ${queued.size} arrived beside 320 hanging receivers of another owner with ${waiting} ` +
    `deliveries waiting: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`,
);
