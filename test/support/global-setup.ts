import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { clientConfig } from '#database/connect.ts';
import { startEmbedded } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    socket: string;
  }
}

/** One PostgreSQL for a run, with a migrated template of which every test file gets a copy. Durability is given up here alone. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-test-'));
  const server = await startEmbedded(folder, {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    autovacuum: 'off',
  });
  const client = new pg.Client({ ...clientConfig(server.address), database: 'postgres' });
  await client.connect();
  await client.query('create database template_hearth');
  await client.end();
  if ('url' in server.address) throw new Error('The embedded server answers on a socket');
  await migrate({ ...server.address, database: 'template_hearth' });
  project.provide('socket', server.address.socket);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
