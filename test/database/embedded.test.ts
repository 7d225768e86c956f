import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { clientConfig } from '#database/connect.ts';
import { type Embedded, startEmbedded } from '#database/embedded.ts';
import { launch, type PostgresHome, preparePostgresHome } from '#database/postgres-home.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';

const cheap = { fsync: 'off', shared_buffers: '16MB' };
let folder: string;
let home: PostgresHome;
let said: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hearth-embedded-'));
  home = await preparePostgresHome(folder);
  atEndOfFile(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const first = await startEmbedded(folder, cheap);
  await first.stop();
});

/** Starts PostgreSQL; it is stopped with the test. */
async function start(): Promise<Embedded> {
  said = [];
  const server = await startEmbedded(folder, cheap, (reason) => said.push(reason));
  onTestFinished(() => server.stop());
  return server;
}

const pidFile = () => join(home.data, 'postmaster.pid');
const postmaster = async (): Promise<number> => Number((await readFile(pidFile(), 'utf8')).split('\n')[0]);
const failures = async (): Promise<string[]> => (await readFile(home.log, 'utf8')).match(/FATAL: .*/g) ?? [];

async function connect({ address }: Embedded): Promise<pg.Client> {
  const client = new pg.Client(clientConfig(address));
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

test('a postmaster that is killed leaves busy processes: the start waits for them, says so, and ends them', async () => {
  const client = await connect(await start());
  await client.query('create table if not exists kept (n integer)');
  await client.query('insert into kept values (1)');
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const busy = client.query('select count(*) from generate_series(1, 1e12::bigint)').catch(() => undefined);
  process.kill(await postmaster(), 'SIGKILL');
  const again = await start();
  await busy;
  expect(again.takenOver).toBe(false);
  expect(said).toEqual([`processes of the PostgreSQL that ran before haven't ended yet: ${rows[0]?.pid}`]);
  const after = await connect(again);
  expect((await after.query('select n from kept')).rows).toEqual([{ n: 1 }]);
  await after.end();
});

test('a postmaster that is killed with idle connections is followed by another at once, round after round', async () => {
  for (let round = 0; round < 5; round++) {
    const client = await connect(await start());
    process.kill(await postmaster(), 'SIGKILL');
    const again = await start();
    expect(again.takenOver).toBe(false);
    await client.end().catch(() => undefined);
  }
});

describe('a pid file of a postmaster that is dead', () => {
  test('whose parent never asks how it ended', async () => {
    // The shell becomes another program, which doesn't know of its child.
    const command = `'${home.binaries.postgres}' -D '${home.data}' -k '${home.socket}' -c listen_addresses= & exec sleep 600`;
    const parent = launch(home, 'sh', ['-c', command]);
    onTestFinished(() => void parent.kill('SIGKILL'));
    await expect.poll(() => postmaster().catch(() => 0)).toBeGreaterThan(1);
    const first = await start();
    expect(first.takenOver).toBe(true);
    const pid = await postmaster();
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => readFile(`/proc/${pid}/stat`, 'utf8')).toMatch(/^\d+ \(postgres\) Z /);
    expect((await start()).takenOver).toBe(false);
  });

  test.each(['editor', 'postgres'])('and whose id another program has, which is called %s', async (name) => {
    const script = `process.title = '${name}'; setInterval(() => undefined, 1e6)`;
    const other = launch({ ...home, data: '/' }, process.execPath, ['-e', script]);
    onTestFinished(() => void other.kill('SIGKILL'));
    await expect.poll(() => readFile(`/proc/${other.pid}/comm`, 'utf8')).toBe(`${name}\n`);
    await (await start()).stop();
    await writeFile(pidFile(), `${other.pid}\n${home.data}\n1\n5432\n${home.socket}\n\n0 0\nready\n`);
    expect((await start()).takenOver).toBe(false);
    expect(other.exitCode).toBeNull();
  });
});

test('two starts at once: one of them takes over the PostgreSQL of the other', async () => {
  const both = await Promise.all([start(), start()]);
  expect(both.map(({ takenOver }) => takenOver).sort()).toEqual([false, true]);
});

test('what can not start says why, at the first try', async () => {
  const before = (await failures()).length;
  const config = join(home.data, 'postgresql.conf');
  const text = await readFile(config, 'utf8');
  onTestFinished(() => writeFile(config, text));
  await appendFile(config, 'no_such_setting = 1\n');
  await expect(start()).rejects.toThrow(
    /^PostgreSQL stopped at its start \(configuration file .* contains errors\); see .*server\.log$/,
  );
  expect((await failures()).slice(before)).toHaveLength(1);
  expect(said).toEqual([]);
});
