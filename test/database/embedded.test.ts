import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { clientConfig } from '#database/connect.ts';
import { type Embedded, startEmbedded } from '#database/embedded.ts';
import { launch, type PostgresHome, preparePostgresHome } from '#database/postgres-home.ts';
import { isProcessRunning } from '#lib/running-process.ts';
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
  const server = await startEmbedded(folder, cheap, { onWait: (reason) => said.push(reason) });
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

describe.runIf(process.getuid?.() === 0)('as root, PostgreSQL runs as nobody', () => {
  /** A folder that only root may enter. */
  async function closedFolder(): Promise<string> {
    const closed = await mkdtemp(join(tmpdir(), 'hearth-closed-')); // its mode is 0700
    onTestFinished(() => rm(closed, { recursive: true, force: true, maxRetries: 10 }));
    return closed;
  }

  test('with its data in a folder that is closed to others', async () => {
    const data = join(await closedFolder(), 'data');
    await mkdir(data, { mode: 0o711 });
    const server = await startEmbedded(data, cheap);
    onTestFinished(() => server.stop());
    const [pid] = (await readFile(join(data, 'postgres/data/postmaster.pid'), 'utf8')).split('\n');
    expect((await stat(`/proc/${pid}`)).uid).toBe(65_534);
    const client = await connect(server);
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
  });

  test('with its programs in a folder that is closed to others, as in a checkout in /root', async () => {
    const programs = join(await closedFolder(), 'native');
    await cp(join(dirname(home.binaries.initdb), '..'), programs, { recursive: true });
    const account = { uid: 65_534, gid: 65_534 };
    const data = join(folder, 'other');
    await mkdir(data);
    await chown(data, account.uid, account.gid);
    const closed = { ...home, data, runAs: { ...account, canReachFiles: false } };
    const child = launch(closed, join(programs, 'bin/initdb'), ['-D', data, '--auth', 'trust', '--no-sync']);
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });
});

describe('a PostgreSQL whose users are killed', () => {
  const program = `
    const { startEmbedded } = await import(process.argv[1]);
    await startEmbedded(process.argv[2], { fsync: 'off', shared_buffers: '16MB' });
    process.stdout.write('started');
    setInterval(() => undefined, 1e6);`;
  const module = join(import.meta.dirname, '../../src/database/embedded.ts');

  /** Starts another process that uses the folder's PostgreSQL. */
  async function startElsewhere(): Promise<ChildProcess> {
    const other = spawn(process.execPath, ['--input-type=module', '-e', program, module, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void other.kill('SIGKILL'));
    if (!other.stdout) throw new Error('It has no output');
    await once(other.stdout, 'data');
    return other;
  }

  const hasEnded = (pid: number) => expect.poll(() => isProcessRunning(pid), { timeout: 10_000 }).toBe(false);

  test('ends with the last of them, and the next start finds all that was committed', async () => {
    const [first, second] = [await startElsewhere(), await startElsewhere()];
    const pid = await postmaster();
    first.kill('SIGKILL');
    await once(first, 'exit');
    const own = await start();
    second.kill('SIGKILL');
    await once(second, 'exit');
    const client = await connect(own);
    await client.query('create table if not exists kept_by_all (n integer)');
    await client.end();
    expect(await postmaster()).toBe(pid);
    own.release();
    await hasEnded(pid);
    const again = await start();
    expect(again.takenOver).toBe(false);
    const after = await connect(again);
    expect((await after.query('select from kept_by_all')).rows).toEqual([]);
    await after.end();
  });

  test('goes on where its watcher is killed too, and the next start takes it over with a watcher', async () => {
    const server = await startElsewhere();
    const pid = await postmaster();
    for (const watcher of await watchersOf(pid)) process.kill(watcher, 'SIGKILL');
    server.kill('SIGKILL');
    await once(server, 'exit');
    const own = await start();
    expect(own.takenOver).toBe(true);
    own.release();
    await hasEnded(pid);
  });
});

async function watchersOf(postmasterPid: number): Promise<number[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    processes.map(async (name) => [Number(name), await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')] as const),
  );
  return commands.flatMap(([pid, command]) => (command.includes(`users-of-${postmasterPid}\0`) ? [pid] : []));
}

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
