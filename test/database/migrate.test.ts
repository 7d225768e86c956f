import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#database/connect.ts';
import { commandName, migrate } from '#database/migrate.ts';
import { testDatabase } from '#test/support/database.ts';
import { copyOfMigrations } from './older.ts';

/** The migrations of a Hearth that is newer by one column. */
async function newerMigrations(): Promise<string> {
  const folder = await copyOfMigrations();
  await writeFile(join(folder, '9000-newer.sql'), 'alter table accounts add column newer text;');
  return folder;
}

test('a command brings the tables up to date only where no server uses them, and an older Hearth refuses them then', async () => {
  const { address, db, close } = await testDatabase();
  onTestFinished(close);
  const folder = await newerMigrations();
  await sql`select 1`.execute(db);
  await expect(migrate(address, { folder, alone: true })).rejects.toThrow(
    'The database must be brought up to date, but a server of an older Hearth uses it: restart that first',
  );
  expect(await migrate(address, { alone: true })).toEqual([]);
  await db.destroy();

  const command = openDatabase(address, { name: commandName });
  onTestFinished(() => command.close());
  await sql`select 1`.execute(command.db);
  await expect.poll(() => migrate(address, { folder, alone: true }).catch(String)).toEqual(['9000-newer']);
  await expect(migrate(address)).rejects.toThrow(
    /^The database was written by Hearth \S+ \(commit \w+\) \(it holds 9000-newer\), and this is Hearth /,
  );
});
