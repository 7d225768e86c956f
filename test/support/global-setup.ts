import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { clientConfig } from '#database/connect.ts';
import { startEmbedded } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { differences } from '#test/conformance/differences.ts';

declare module 'vitest' {
  interface ProvidedContext {
    socket: string;
    /** Where each difference that a reply needed leaves its number. */
    neededDifferences: string;
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
  const needed = join(folder, 'needed-differences');
  await mkdir(needed);
  project.provide('neededDifferences', needed);
  return async () => {
    await server.stop();
    if (await isWhole(project)) complain(await readdir(needed));
    await rm(folder, { recursive: true, force: true });
  };
}

/** Whether every test ran and passed: only then is it known what no reply needed. */
async function isWhole(project: TestProject): Promise<boolean> {
  const { testFiles } = await project.globTestFiles();
  const ran = project.vitest.state.getFiles();
  return (
    !project.config.testNamePattern && ran.length === testFiles.length && ran.every(({ result }) => result?.state === 'pass')
  );
}

function complain(needed: readonly string[]): void {
  const idle = differences.filter((_, index) => !needed.includes(String(index)));
  if (idle.length === 0) return;
  console.error('No reply needed these entries of test/conformance/differences.ts. Take them out:', idle);
  process.exitCode = 1;
}
