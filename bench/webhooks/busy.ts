/**
 * How an owner is affected by another owner with very many events: how long after an event its delivery arrives.
 *
 *   node bench/webhooks/busy.ts [events of the other, default 20000]
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { change } from '#database/connect.ts';
import { changeWithoutRequest } from '#endpoint/change-in.ts';
import { recordAll } from '#events/record.ts';
import { createUser } from '#resources/identity/accounts/index.ts';
import { openStage, startWorkerProcess } from './stage.ts';

const count = Number(process.argv[2] ?? 20_000);
const inOneChange = 500;
const measured = 10;

await using stage = await openStage();
const { db } = stage.hearth.database;
await stage.hooks(['/busy']);
const other = await stage.organization('other');
const { services } = stage.hearth;
const now = new Date();
const member = await changeWithoutRequest({ db, services, now }, (scope) => createUser(scope, { login: 'grace', now }));
const eventOf = (owner: typeof other) => ({
  kind: 'member.added' as const,
  owner,
  actor: member.id,
  at: new Date(),
  data: { user: member.id, role: 'member' },
});
for (let from = 0; from < count; from += inOneChange)
  await change(db, (tx) =>
    recordAll(
      tx,
      Array.from({ length: Math.min(inOneChange, count - from) }, () => eventOf(stage.owner)),
    ),
  );
const hooks = await stage.hooks(['/other'], other);
const worker = await startWorkerProcess(stage);
const waits: number[] = [];
for (let n = 0; n < measured; n++) {
  const began = Date.now();
  await change(db, (tx) => recordAll(tx, [eventOf(other)]));
  for (;;) {
    const sent = await db
      .selectFrom('webhook_deliveries')
      .select('id')
      .where('hook_id', 'in', hooks)
      .where('status_code', '=', 200)
      .execute();
    if (sent.length > n || Date.now() - began > 120_000) break;
    await sleep(10);
  }
  waits.push(Date.now() - began);
}
worker.kill();
console.log(`beside ${count} events of another owner, deliveries arrived after ${waits.join(', ')} ms`);
