import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deliverParts } from '#events/deliver.ts';
import { asId } from '#lib/id.ts';

const deliveryOf = (id: number) => ({
  owner_id: 1,
  turn: id,
  event_id: id,
  tries: 0,
  event: { id: asId<'events'>(id), kind: 'member.added', owner: asId<'accounts'>(1) } as never,
});
const batchOf = (count: number) => Array.from({ length: count }, (_, id) => deliveryOf(id));
const ids = (deliveries: readonly { event_id: number }[]) => deliveries.map(({ event_id }) => event_id);

/** A subscription that fails whenever it gets one of these events. */
function poisonedBy(poisonous: ReadonlySet<number>) {
  const told: number[] = [];
  let runs = 0;
  const run = async (events: readonly { id: number }[]): Promise<void> => {
    runs += 1;
    if (events.some(({ id }) => poisonous.has(id))) throw new Error('poisonous');
    told.push(...events.map(({ id }) => id));
  };
  return { told, run, runs: () => runs };
}

test('whichever events fail, all others are delivered once and in order, and those that fail are told, by few runs', async () => {
  const cases = fc.record({ count: fc.integer({ min: 1, max: 64 }), wanted: fc.array(fc.nat(63), { maxLength: 5 }) });
  await fc.assert(
    fc.asyncProperty(cases, async ({ count, wanted }) => {
      const poisonous = new Set(wanted.filter((id) => id < count));
      const { told, run, runs } = poisonedBy(poisonous);
      const { delivered, failed } = await deliverParts(batchOf(count), run);
      const sound = ids(batchOf(count)).filter((id) => !poisonous.has(id));
      expect(told).toEqual(sound);
      expect(ids(delivered)).toEqual(sound);
      expect(ids(failed.map(({ delivery }) => delivery))).toEqual([...poisonous].sort((a, b) => a - b));
      expect(runs()).toBeLessThanOrEqual(1 + 2 * poisonous.size * Math.ceil(Math.log2(count)));
    }),
  );
});

test('that the database is away fails no event: the whole batch is left for later', async () => {
  const away = Object.assign(new Error('terminating connection'), { code: '57P01' });
  await expect(deliverParts(batchOf(8), () => Promise.reject(away))).rejects.toBe(away);
});

test('who stops meanwhile leaves the rest for later', async () => {
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    stopping.abort();
    throw new Error('poisonous');
  };
  expect(await deliverParts(batchOf(8), run, stopping.signal)).toEqual({ delivered: [], failed: [] });
});

test('an event that is gone is nothing to deliver', async () => {
  const gone = { ...deliveryOf(1), event: undefined };
  const { told, run } = poisonedBy(new Set());
  expect(await deliverParts([gone, deliveryOf(2)], run)).toMatchObject({ delivered: [{ event_id: 1 }, { event_id: 2 }] });
  expect(told).toEqual([2]);
});
