/**
 * How a responsive receiver is affected by fifty unresponsive ones: how long after queuing each of its deliveries arrives.
 *
 *   node bench/webhooks/hanging.ts [seconds, default 30]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openStage, startWorkerProcess } from './stage.ts';

const seconds = Number(process.argv[2] ?? 30);

await using stage = await openStage();
const hanging = await stage.hooks(Array.from({ length: 50 }, (_, i) => `/hang/${i}`));
const healthy = await stage.hooks(['/healthy']);
const worker = await startWorkerProcess(stage);
await stage.queue(hanging, 5_000);
const queued = new Map<string, number>();
const end = Date.now() + seconds * 1000;
while (Date.now() < end) {
  const at = Date.now();
  for (const guid of await stage.queue(healthy, 1)) queued.set(guid, at);
  await sleep(20);
}
await sleep(2_000);
worker.kill();
const { taken } = await stage.received();
const waits = taken.map(({ guid, at }) => at - (queued.get(guid) ?? 0)).sort((one, other) => one - other);
const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))];
console.log(
  `${waits.length} of ${queued.size} arrived beside 50 hanging receivers: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ` +
    `most ${at(1)} ms`,
);
