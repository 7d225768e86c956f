import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeGate } from '#lib/gate.ts';

test('so many are in at once, and who waits comes in by turn', async () => {
  const gate = makeGate(2);
  const order: number[] = [];
  let inside = 0;
  let most = 0;
  const user = async (at: number): Promise<void> => {
    const leave = await gate.enter(5_000);
    order.push(at);
    most = Math.max(most, ++inside);
    await sleep(5);
    inside -= 1;
    leave?.();
  };
  await Promise.all([0, 1, 2, 3, 4, 5].map(user));
  expect([order, most, inside]).toEqual([[0, 1, 2, 3, 4, 5], 2, 0]);
});

test('who waits too long goes away, and takes no place from those behind', async () => {
  const gate = makeGate(1);
  const first = await gate.enter(10);
  const [second, third] = [gate.enter(20), gate.enter(5_000)];
  expect(await second).toBeUndefined();
  first?.();
  const leave = await third;
  expect(leave).toBeTypeOf('function');
  leave?.();
  expect(await gate.enter(0)).toBeTypeOf('function');
});
