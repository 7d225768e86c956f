import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type Address, clientConfig, type Database, openDatabase } from '#database/connect.ts';

const at = (database: string): Address => ({ socket: inject('socket'), user: 'hearth', database });

async function administer(statement: string): Promise<void> {
  const client = new pg.Client(clientConfig(at('postgres')));
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A separate database, copied from the migrated template, and dropped when closed. */
export async function testDatabase(): Promise<Database & { address: Address }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  // By default, PostgreSQL would also write the whole copy to its log.
  await administer(`create database ${name} template template_hearth strategy file_copy`);
  const address = at(name);
  const database = openDatabase(address, { max: 10 });
  return {
    ...database,
    address,
    async close() {
      await database.close();
      await administer(`drop database if exists ${name} with (force)`);
    },
  };
}
