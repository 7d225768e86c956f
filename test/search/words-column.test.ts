import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { wordsColumn } from '#search/words-column.ts';
import { makeSearchFixture } from '#test/search/support.ts';

const place = await makeSearchFixture();
afterAll(() => place.close());

test('a column holds just its lexemes, however it is padded', () => {
  const lexemes = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,40}$/), { minLength: 1 });
  fc.assert(
    fc.property(lexemes, (given) => {
      const column = wordsColumn(given);
      expect(new Set(column.split('\n'))).toEqual(new Set(given));
      expect(column.length).toBeGreaterThan(2_048);
    }),
  );
  expect(wordsColumn([])).toBe('');
});

test('PostgreSQL moves the words of a short text out of its row', async () => {
  const owner = await place.account('ada');
  const { id } = await place.repository(owner, 'short');
  await sql`insert into code_files (repository_id, size, weight, blob_oid, path, words)
    select ${id}, 1, 1, '', 'file-' || i, ${wordsColumn(['one', 'two', 'three'])} from generate_series(1, 1000) i`.execute(
    place.db,
  );
  const { rows } = await sql<{ bytes: number }>`select pg_relation_size('code_files') / 1000 as bytes`.execute(place.db);
  expect(rows[0]?.bytes).toBeLessThan(150);
});
