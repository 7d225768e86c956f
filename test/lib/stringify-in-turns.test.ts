import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringifyInTurns } from '#lib/stringify-in-turns.ts';

test('it makes the JSON that JSON.stringify makes', async () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.record({ list: fc.array(fc.jsonValue(), { minLength: 101, maxLength: 120 }), absent: fc.constant(undefined) }),
    fc.array(fc.record({ inner: fc.jsonValue() }), { minLength: 101, maxLength: 120 }),
  );
  await fc.assert(
    fc.asyncProperty(value, async (one) => {
      expect(await stringifyInTurns(one)).toBe(JSON.stringify(one));
    }),
  );
});
