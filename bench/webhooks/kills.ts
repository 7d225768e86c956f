/**
 * Kills the worker without warning while it delivers events to hooks, and checks whether a delivery is lost: 10,000 events, each
 * for one hook, from the event to the receiver.
 *
 *   node bench/webhooks/kills.ts [events, default 10000]
 */

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { change } from '#database/connect.ts';
import { changeWithoutRequest } from '#endpoint/change-in.ts';
import { recordAll } from '#events/record.ts';
import { createUser } from '#resources/identity/accounts/index.ts';
import { openStage, startWorkerProcess } from './stage.ts';

const count = Number(process.argv[2] ?? 10_000);
const inOneChange = 500;

await using stage = await openStage();
const { db } = stage.hearth.database;
await stage.hooks(['/all']);
const { services } = stage.hearth;
const now = new Date();
const member = await changeWithoutRequest({ db, services, now }, (scope) => createUser(scope, { login: 'grace', now }));
for (let from = 0; from < count; from += inOneChange) {
  const events = Array.from({ length: Math.min(inOneChange, count - from) }, () => ({
    kind: 'member.added' as const,
    owner: stage.owner,
    actor: member.id,
    at: new Date(),
    data: { user: member.id, role: 'member' },
  }));
  await change(db, (tx) => recordAll(tx, events));
}

let kills = 0;
let taken = 0;
const began = Date.now();
while (taken < count && Date.now() - began < 15 * 60_000) {
  const worker = await startWorkerProcess(stage);
  await sleep(300 + Math.random() * 2_500);
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  kills++;
  taken = (await stage.received()).taken.length;
}
const last = await startWorkerProcess(stage);
const left = async () =>
  (await db.selectFrom('webhook_deliveries').select('id').where('due_at', 'is not', null).limit(1).execute()).length;
while ((await left()) > 0) await sleep(200);
last.kill();
const received = await stage.received();
const twice = received.taken.filter(({ times }) => times > 1).length;
const rows = await db.selectFrom('webhook_deliveries').select('guid').where('status_code', '=', 200).execute();
const stored = new Set(rows.map(({ guid }) => guid));
const strange = received.taken.filter(({ guid }) => !stored.has(guid)).length;
console.log(
  `${kills} kills in ${Math.round((Date.now() - began) / 1000)} s: ${received.taken.length} of ${count} arrived, ` +
    `${count - received.taken.length} lost, ${twice} came more than once under one GUID, ${strange} under a GUID that ` +
    `isn't stored`,
);
if (received.taken.length !== count || strange > 0) process.exitCode = 1;
