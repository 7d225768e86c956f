/**
 * The number of deliveries that a worker sends per second: signed, stored before and after, to a receiver in a separate process.
 *
 *   node bench/webhooks/throughput.ts [deliveries, default 10000]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openStage, startWorkerProcess } from './stage.ts';

const count = Number(process.argv[2] ?? 10_000);

await using stage = await openStage();
const { db } = stage.hearth.database;
for (const number of [1, 20]) {
  const hooks = await stage.hooks(Array.from({ length: number }, (_, i) => `/${number}/${i}`));
  await stage.queue(hooks, count);
  const began = performance.now();
  const worker = await startWorkerProcess(stage);
  const ready = performance.now();
  for (;;) {
    const left = await db.selectFrom('webhook_deliveries').select('id').where('due_at', 'is not', null).limit(1).execute();
    if (left.length === 0) break;
    await sleep(20);
  }
  const seconds = (performance.now() - ready) / 1000;
  worker.kill();
  const { wrong } = await stage.received();
  const stored = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('hook_id', 'in', hooks)
    .where('status_code', '=', 200)
    .execute();
  console.log(
    `${number} hook(s): ${Math.round(count / seconds)} deliveries/s (${stored.length} of ${count} stored as ` +
      `delivered, ${wrong} signatures wrong; the worker was ready after ${Math.round(ready - began)} ms)`,
  );
}
