import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { readTextArray } from '#database/text-array.ts';
import { testDatabase } from '#test/support/database.ts';
import { computing } from '#test/support/time.ts';

const never = () => {
  throw new Error('another parser was asked');
};

test('lists of texts come back as they were sent', async () => {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'a,"\\{} \n\tNUL') }),
    fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0') && one.isWellFormed()),
    fc.constantFrom('NULL', 'null', '', '"', '\\', '\\"', '{', '{}'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text), { maxLength: 8 }), async (wanted) => {
      const { rows } = await sql<{ list: unknown; long: unknown }>`select list, list::varchar[] as long
        from (select array(select e #>> '{}' from jsonb_array_elements(${JSON.stringify(wanted)}::jsonb) with ordinality x(e, n)
          order by n) as list) made`.execute(database.db);
      expect(rows).toEqual([{ list: wanted, long: wanted }]);
    }),
  );
  const { rows } = await sql`select array[['a', 'b'], ['c', null]] as nested, '[2:3]={a,b}'::text[] as bounded`.execute(
    database.db,
  );
  expect(rows).toEqual([
    {
      nested: [
        ['a', 'b'],
        ['c', null],
      ],
      bounded: ['a', 'b'],
    },
  ]);
});

test('lists of megabytes are read in some milliseconds, whatever they hold', () => {
  const long = 'x'.repeat(4_000_000);
  const lists = [
    `{${long}}`,
    `{"${long}"}`,
    `{${'a,'.repeat(2_000_000)}a}`,
    `{${'"a b",'.repeat(600_000)}"a"}`,
    `{"${'\\\\'.repeat(2_000_000)}"}`,
  ];
  for (const list of lists) expect(computing(() => readTextArray(list, never))).toBeLessThan(1_500);
});
