// Background work begins at once where a process signals it, and costs little where there is none.
import { expect, onTestFinished, test } from 'vitest';
import { change, openDatabase } from '#database/connect.ts';
import { signalAfter } from '#database/work-signals.ts';
import { openWorkWaits } from '#jobs/work-waits.ts';
import { openWorkerRegistry } from '#jobs/worker-registry.ts';
import { testDatabase } from '#test/support/database.ts';

async function open() {
  const { address, close } = await testDatabase();
  const [workers, servers] = [openDatabase(address), openDatabase(address)];
  const stopping = new AbortController();
  const waits = openWorkWaits(stopping.signal);
  const registry = await openWorkerRegistry(workers, { onSignal: (kinds) => waits.wake(kinds) });
  onTestFinished(async () => {
    await registry.close();
    await Promise.all([workers.close(), servers.close()]);
    await close();
  });
  return { waits, servers, stopping };
}

const long = 60_000;

test('a loop that waits for work is woken by the commit of another process', async () => {
  const { waits, servers } = await open();
  const waiting = waits.next('events', long);
  await change(servers.db, async (tx) => signalAfter(tx, 'events'));
  await waiting;
});

test('what is signalled while nobody waits is kept, and a transaction that fails signals nothing', async () => {
  const { waits, servers } = await open();
  const failing = change(servers.db, async (tx) => {
    signalAfter(tx, 'deliveries');
    throw new Error('No');
  });
  await expect(failing).rejects.toThrow('No');
  await change(servers.db, async (tx) => signalAfter(tx, 'events'));
  const first = await Promise.race([
    waits.next('events', long).then(() => 'events'),
    waits.next('deliveries', long).then(() => 'deliveries'),
  ]);
  expect(first).toBe('events');
});

test('many commits send few signals, and the last of them is heard', async () => {
  const { waits, servers } = await open();
  for (let at = 0; at < 20; at++) await change(servers.db, async (tx) => signalAfter(tx, at === 19 ? 'deliveries' : 'events'));
  await waits.next('deliveries', long);
});

test('loops that wait end when they are stopped', async () => {
  const { waits, stopping } = await open();
  const waiting = waits.next('events', long);
  stopping.abort();
  await waiting;
  await waits.next('deliveries', long);
});
