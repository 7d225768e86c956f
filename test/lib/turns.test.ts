import { expect, test } from 'vitest';
import { periodicYield } from '#lib/turns.ts';
import { longestTurn } from '#test/support/time.ts';

const compute = (milliseconds: number): void => {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
};

test('many short computations after each other yield as one long one does', async () => {
  const { longest } = await longestTurn(async () => {
    for (let at = 0; at < 50; at++) {
      const yieldNow = periodicYield();
      compute(4);
      await yieldNow();
    }
  });
  expect(longest).toBeLessThan(60);
});

test('several computations at once take turns', async () => {
  const done: number[] = [];
  const steps = async (name: number): Promise<void> => {
    const yieldNow = periodicYield();
    for (let at = 0; at < 10; at++) {
      compute(3);
      await yieldNow();
    }
    done.push(name);
  };
  const { longest } = await longestTurn(() => Promise.all([1, 2, 3].map(steps)));
  expect(done).toHaveLength(3);
  expect(longest).toBeLessThan(60);
});
