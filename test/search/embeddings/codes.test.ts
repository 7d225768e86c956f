import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codeOf, quantise, similarity } from '#search/embeddings/quantise.ts';
import { QuantizedVectors } from '#search/embeddings/quantized-vectors.ts';

const code = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => Buffer.from(bytes));
const row = fc.record({ issueId: fc.integer({ min: 1, max: 60 }), repositoryId: fc.integer({ min: 1, max: 4 }), code });

/** As many components as bits. */
const vectorOf = (component: fc.Arbitrary<number>) =>
  fc.array(component, { minLength: 64, maxLength: 64 }).map((values) => Float32Array.from(values));

/** What the components of a vector are great in which a code has the other sign. */
const distance = (a: Buffer, vector: Float32Array): number =>
  vector.reduce((sum, value, at) => sum + ((((a[at >> 3] ?? 0) >> (at & 7)) & 1) === Number(value > 0) ? 0 : Math.abs(value)), 0);

test('what a search in memory finds is what looking at each row finds', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(row, { maxLength: 20 }), { maxLength: 5 }),
      vectorOf(fc.constantFrom(-1, 0, 1)),
      fc.uniqueArray(fc.integer({ min: 1, max: 4 })),
      fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 60 })), { nil: undefined }),
      fc.integer({ min: 1, max: 15 }),
      (batches, wanted, repositories, chosen, limit) => {
        const codes = new QuantizedVectors(8);
        for (const batch of batches) codes.put(batch);
        const among = chosen && new Set(chosen);
        const rows = [...new Map(batches.flat().map((one) => [one.issueId, one])).values()];
        const expected = rows
          .filter(({ issueId, repositoryId }) => repositories.includes(repositoryId) && (among?.has(issueId) ?? true))
          .sort((a, b) => distance(a.code, wanted) - distance(b.code, wanted) || b.issueId - a.issueId)
          .slice(0, limit);
        const ids = (list: number[]): number[] => list.sort((a, b) => a - b);
        expect(codes.count).toBe(rows.length);
        expect(ids(codes.nearest(wanted, { repositories, among }, limit))).toEqual(ids(expected.map(({ issueId }) => issueId)));
      },
    ),
  );
});

test('great components of a vector count more than small ones', () => {
  fc.assert(
    fc.property(
      fc.array(code, { minLength: 2, maxLength: 40 }),
      vectorOf(fc.double({ min: -1, max: 1, noNaN: true })),
      (all, wanted) => {
        const codes = new QuantizedVectors(8);
        codes.put(all.map((code, at) => ({ issueId: at + 1, repositoryId: 1, code })));
        const found = new Set(codes.nearest(wanted, { repositories: [1] }, all.length >> 1));
        const distances = (isFound: boolean) =>
          all.filter((_, at) => found.has(at + 1) === isFound).map((code) => distance(code, wanted));
        expect(found.size).toBe(all.length >> 1);
        // Weights are whole numbers, whose rounding may turn what is nearly equal.
        const rounding = (64 / 60_000) * wanted.reduce((sum, value) => sum + Math.abs(value), 0);
        expect(Math.max(...distances(true))).toBeLessThanOrEqual(Math.min(...distances(false)) + rounding);
      },
    ),
  );
});

test('codes of another length are passed over', () => {
  const codes = new QuantizedVectors(8);
  codes.put([{ issueId: 1, repositoryId: 1, code: Buffer.alloc(32) }]);
  expect(codes.count).toBe(0);
});

const vector = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 64, maxLength: 64 })
  .map((values) => Float32Array.from(values))
  .filter((values) => values.some((value) => Math.abs(value) > 0.01));

test('a stored vector points where its vector did', () => {
  fc.assert(
    fc.property(vector, (values) => {
      const length = Math.hypot(...values);
      const unit = values.map((value) => value / length);
      expect(similarity(unit, quantise(values).components)).toBeGreaterThan(0.99);
      expect(
        similarity(
          unit.map((value) => -value),
          quantise(values).components,
        ),
      ).toBeLessThan(-0.99);
    }),
  );
});

test('a vector without a direction, or of another length, is near to nothing', () => {
  expect(similarity(new Float32Array(64), quantise(new Float32Array(64)).components)).toBe(0);
  expect(similarity(new Float32Array([1, 0]), quantise(new Float32Array(64).fill(1)).components)).toBe(0);
  expect(codeOf(new Float32Array([1, -1, 0, 0.5]))).toEqual(Buffer.from([0b1001, 0, 0, 0]));
});
