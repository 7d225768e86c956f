import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { testDatabase } from '#test/support/database.ts';

async function open() {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  return database.db;
}

test.each(['once', 'again, prepared'])('the error of a statement that is sent %s leads to who has sent it', async (what) => {
  const db = await open();
  const divide = (by: number) => sql`select 1 / ${by}::integer`.execute(db);
  if (what !== 'once') for (const _ of [1, 2]) await divide(1);
  const error = await divide(0).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ message: 'division by zero', code: '22012' });
  expect((error as Error).stack).toContain('client.test.ts');
});

test('what was read is young garbage as soon as it is not used any more', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
  const oldBytes = (): number => getHeapSpaceStatistics().find((space) => space.space_name === 'old_space')?.space_used_size ?? 0;
  const db = await open();
  const read = (at: number) =>
    sql`select repeat('x', 1000) || n as text from generate_series(${at}::integer, ${at + 99}) n`.execute(db);
  const some = async (): Promise<void> => {
    for (let at = 0; at < 300; at++) {
      await read(at);
      if (at % 5 === 0) collect({ type: 'minor' });
    }
  };
  await some();
  collect();
  const before = oldBytes();
  await some();
  // 30 MB were read.
  expect(oldBytes() - before).toBeLessThan(5_000_000);
});
