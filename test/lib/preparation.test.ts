import { expect, test } from 'vitest';
import { preparedResults, withPreparations } from '#lib/preparation.ts';

const doubled = (maxBytes: number) => {
  let computed = 0;
  const results = preparedResults<number, { value: number }>({
    compute: async (input) => {
      computed++;
      return { value: 2 * input };
    },
    keyOf: String,
    sizeOf: () => 10,
    maxBytes,
  });
  return { results, computed: () => computed };
};

test('a transaction begins again once its results are prepared, also where they are larger than what is kept', async () => {
  const { results, computed } = doubled(15);
  let begun = 0;
  const found = await withPreparations(async () => {
    begun++;
    return results.require([1, 2, 3]).map(({ value }) => value);
  });
  expect([found, begun, computed()]).toEqual([[2, 4, 6], 2, 3]);
});

test('what is kept is computed once, and a failure is not kept', async () => {
  const { results, computed } = doubled(100);
  await Promise.all([results.get(1), results.get(1)]);
  await results.get(1);
  expect(computed()).toBe(1);
  let fails = true;
  const failing = preparedResults<number, object>({
    compute: async () => {
      if (fails) throw new Error('Not now');
      return {};
    },
    keyOf: String,
    sizeOf: () => 1,
    maxBytes: 10,
  });
  await expect(withPreparations(async () => failing.require([1]))).rejects.toThrow('Not now');
  fails = false;
  expect(await withPreparations(async () => failing.require([1]))).toEqual([{}]);
});

test('a result is kept for a limited time', async () => {
  let computed = 0;
  const results = preparedResults<number, object>({
    compute: async () => ({ number: ++computed }),
    keyOf: String,
    sizeOf: () => 1,
    maxBytes: 10,
    keptFor: 50,
  });
  expect(await results.get(1)).toEqual({ number: 1 });
  await expect.poll(() => results.get(1)).toEqual({ number: 2 });
});
