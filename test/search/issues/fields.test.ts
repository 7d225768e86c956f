import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdsField, inField } from '#search/issues/fields.ts';
import { makeSearchFixture, type SearchFixture } from '#test/search/support.ts';

let place: SearchFixture;
beforeAll(async () => {
  place = await makeSearchFixture();
});
afterAll(() => place.close());

const everyField = sql`true`;
const isHigh = inField('priority', 'high', everyField);
const isAny = holdsField('priority', everyField);

async function planOf(conditions: readonly RawBuilder<unknown>[]): Promise<string[]> {
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain select from issue_documents where ${sql.join(conditions, sql` and `)}`.execute(place.db);
  return rows.map((row) => row['QUERY PLAN']);
}

// Most issues of an organization may hold a value. To compare each issue with a list of them would take the square of their
// number.
test.each([
  ['a value', [isHigh], 1],
  ['the lack of a value', [sql`not ${isHigh}`], 1],
  ['any value', [isAny], 1],
  ['a hundred of them', Array.from({ length: 50 }, () => [isHigh, isAny]).flat(), 100],
] as const)('%s is looked up among hashed issues, and no join', async (_name, conditions, count) => {
  const [top, filter] = await planOf(conditions);
  expect(top).toMatch(/^Seq Scan on issue_documents/);
  expect(filter?.match(/hashed SubPlan/g)).toHaveLength(count);
});
