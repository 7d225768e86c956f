import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#database/connect.ts';
import { migrate } from '#database/migrate.ts';
import { checkServer, connectionsEach } from '#database/server.ts';
import { testDatabase } from '#test/support/database.ts';

const opened = async () => {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  return database;
};

test('processes share the connections that a database allows, some being left for commands', async () => {
  const { db, address } = await opened();
  if ('url' in address) throw new Error('The tests have a socket');
  const requested = 20;
  const limit = `The connection limit of the database ${address.database} is 20`;
  expect(await connectionsEach(db, { requested, processes: 1 })).toMatchObject({ each: 20 });
  await sql`alter database ${sql.ref(address.database)} connection limit 20`.execute(db);
  expect(await connectionsEach(db, { requested, processes: 1 })).toEqual({ each: 12, limit });
  expect(await connectionsEach(db, { requested, processes: 3 })).toEqual({ each: 4, limit });
  expect(await connectionsEach(db, { requested: 6, processes: 1 })).toEqual({ each: 6, limit });
  await expect(connectionsEach(db, { requested, processes: 4 })).rejects.toThrow(
    `${limit}, and Hearth needs 24 connections: raise it (alter database ${address.database} connection limit …), or ` +
      'lower --workers',
  );
});

test('the limit of a role is named as such, and that of the server as such', async () => {
  const { db, address } = await opened();
  if ('url' in address) throw new Error('The tests have a socket');
  const name = `limited_${randomBytes(4).toString('hex')}`;
  await sql`create role ${sql.ref(name)} login connection limit 10`.execute(db);
  const limited = openDatabase({ ...address, user: name });
  onTestFinished(async () => {
    await limited.close();
    await sql`drop role ${sql.ref(name)}`.execute(db);
  });
  await expect(connectionsEach(limited.db, { requested: 20, processes: 1 })).rejects.toThrow(
    `The connection limit of the role ${name} is 10, and Hearth needs 12 connections: raise it (alter role ${name} ` +
      'connection limit …)',
  );
  await expect(connectionsEach(db, { requested: 20, processes: 1_000 })).rejects.toThrow(
    /^The limit of the PostgreSQL server \(max_connections .*\) is \d+, and Hearth needs 4008 connections: raise its max_conn/,
  );
});

test('a database whose encoding is not UTF-8 is refused, and another one is not', async () => {
  const { db, address } = await opened();
  if ('url' in address) throw new Error('The tests have a socket');
  await checkServer(db);
  const name = `ascii_${randomBytes(4).toString('hex')}`;
  await sql`create database ${sql.ref(name)} encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0`.execute(db);
  const ascii = openDatabase({ ...address, database: name });
  onTestFinished(async () => {
    await ascii.close();
    await sql`drop database ${sql.ref(name)}`.execute(db);
  });
  await expect(checkServer(ascii.db)).rejects.toThrow('The encoding of the database is SQL_ASCII');
});

test('a role that may not make tables, or would make them elsewhere, is refused in one line', async () => {
  const { db, address } = await opened();
  if ('url' in address) throw new Error('The tests have a socket');
  const name = `fresh_${randomBytes(4).toString('hex')}`;
  await sql`create database ${sql.ref(name)} template template0`.execute(db);
  await sql`create role ${sql.ref(name)} login`.execute(db);
  onTestFinished(async () => {
    await sql`drop database ${sql.ref(name)} with (force)`.execute(db);
    await sql`drop role ${sql.ref(name)}`.execute(db);
  });
  const restricted = { ...address, database: name, user: name };
  await expect(migrate(restricted)).rejects.toThrow(
    `The role ${name} may not make tables and schemas in the database ${name} (permission denied for schema public): ` +
      'make it the owner',
  );
  const elsewhere = openDatabase(restricted);
  onTestFinished(() => elsewhere.close());
  await sql`alter role ${sql.ref(name)} set search_path = pg_catalog`.execute(db);
  await expect(checkServer(elsewhere.db)).rejects.toThrow("the role's search_path begins with pg_catalog");
  await sql`alter role ${sql.ref(name)} reset search_path`.execute(db);
  await sql`alter database ${sql.ref(name)} owner to ${sql.ref(name)}`.execute(db);
  expect((await migrate(restricted)).length).toBeGreaterThan(10);
});
