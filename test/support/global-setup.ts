import { mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { makeBundle } from '#cli/code-bundle/make.ts';
import { clientConfig } from '#database/connect.ts';
import { startEmbedded } from '#database/embedded.ts';
import { migrate } from '#database/migrate.ts';
import { differences } from '#test/conformance/differences.ts';
import { namedOperations } from '#test/conformance/named-effects.ts';

declare module 'vitest' {
  interface ProvidedContext {
    socket: string;
    /** The folder in which each needed difference leaves its number. */
    neededDifferences: string;
    /** The folder in which each operation that a test has performed leaves its number among the named ones. */
    performedOperations: string;
  }
}

const gibi = 1024 ** 3;
const memory = '/dev/shm';
/** The required space of an in-memory file system, and the memory that must remain for it and for the tests. */
const room = { files: 2 * gibi, memory: 6 * gibi };

/**
 * A folder for the files of a run, removed at its end. The tests create, remove and sync many small files. If there is enough
 * memory, the folder is in memory, which saves a fifth of the processor time.
 */
async function makeFolder(): Promise<string> {
  const { bsize, bavail } = await statfs(memory).catch(() => ({ bsize: 0, bavail: 0 }));
  const isRoomy = bsize * bavail >= room.files && process.availableMemory() >= room.memory;
  const inMemory = process.env.TMPDIR === undefined && isRoomy;
  // Some accounts may not write there.
  const folder = inMemory ? await mkdtemp(join(memory, 'hearth-test-')).catch(() => undefined) : undefined;
  if (folder === undefined) return mkdtemp(join(tmpdir(), 'hearth-test-'));
  process.env.TMPDIR = folder;
  return folder;
}

/** Sets variables for the workers, unless they are already set. */
function setEnvironment(): void {
  // Starting git copies a worker's page tables, which takes as long as git itself. With large pages, they are short.
  process.env.GLIBC_TUNABLES ??= 'glibc.malloc.hugetlb=1';
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/node');
}

/** One PostgreSQL for a run, with a migrated template that every test file copies. Durability is turned off only here. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  setEnvironment();
  const folder = await makeFolder();
  // Many tests start Hearth.
  const bundling = makeBundle();
  const server = await startEmbedded(folder, {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    autovacuum: 'off',
    max_wal_size: '256MB',
  });
  const client = new pg.Client({ ...clientConfig(server.address), database: 'postgres' });
  await client.connect();
  await client.query('create database template_hearth');
  await client.end();
  if ('url' in server.address) throw new Error('The embedded server answers on a socket');
  await migrate({ ...server.address, database: 'template_hearth' });
  project.provide('socket', server.address.socket);
  await bundling;
  const needed = join(folder, 'needed-differences');
  await mkdir(needed);
  project.provide('neededDifferences', needed);
  const performed = join(folder, 'performed-operations');
  await mkdir(performed);
  project.provide('performedOperations', performed);
  return async () => {
    await server.stop();
    if (await isWhole(project)) {
      complain(
        differences,
        await readdir(needed),
        'No reply needed these entries of test/conformance/differences.ts. Take them out:',
      );
      complain(
        namedOperations,
        await readdir(performed),
        'These tests of test/conformance/effects.json did not call the operations:',
      );
    }
    await rm(folder, { recursive: true, force: true });
  };
}

/** Whether every test ran and passed. Only then is it known which entries were needed. */
async function isWhole(project: TestProject): Promise<boolean> {
  const { testFiles } = await project.globTestFiles();
  const ran = project.vitest.state.getFiles();
  return (
    !project.config.testNamePattern && ran.length === testFiles.length && ran.every(({ result }) => result?.state === 'pass')
  );
}

/** Fails the run if some entries left no mark. */
function complain(entries: readonly unknown[], marks: readonly string[], text: string): void {
  const idle = entries.filter((_, index) => !marks.includes(String(index)));
  if (idle.length === 0) return;
  console.error(text, idle);
  process.exitCode = 1;
}
