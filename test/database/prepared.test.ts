import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { isAway } from '#database/connect.ts';
import { testDatabase } from '#test/support/database.ts';

test('a statement is prepared once, however many different searches were made before', async () => {
  const database = await testDatabase();
  // In a process of its own: what others have prepared in this one counts too.
  const script = `
    import { sql } from 'kysely';
    import { openDatabase } from '#database/connect.ts';
    import { within } from '#search/read.ts';
    import { startBudget } from '#search/result.ts';
    const { db, close } = openDatabase(${JSON.stringify(database.address)}, { max: 1 });
    await within(db, startBudget(100_000), async (tx) => {
      for (let at = 0; at < 2_100; at++) await sql\`select \${sql.lit(at)}, \${'a search'}::text\`.execute(tx);
    });
    for (const word of ['one', 'another']) await sql\`select \${word}::text as usual\`.execute(db);
    const { rows } = await sql\`select statement from pg_prepared_statements\`.execute(db);
    process.stdout.write(JSON.stringify(rows.map(({ statement }) => statement)));
    await close();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', script]);
  const statements: string[] = JSON.parse(stdout);
  const count = (part: string) => statements.filter((statement) => statement.includes(part)).length;
  expect([count('as usual'), count('select 2099'), count('select 99,')]).toEqual([1, 0, 1]);
  expect(statements.length).toBeLessThan(600);
  await database.close();
});

test('statements go on after a column was added to their table, as a newer Hearth does at its start', async () => {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  const { db } = database;
  await sql`create table things (id integer)`.execute(db);
  const read = (text: string) => sql`select *, ${text}::text as text from things`.execute(db);
  await read('before');
  await sql`alter table things add column name text`.execute(db);
  const error = await read('once').then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(isAway(error)).toBe(true);
  await Promise.all(Array.from({ length: 20 }, () => read('afterwards')));
});
