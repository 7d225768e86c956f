import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { Agent, createServer, get } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { makeSecretKey } from '#cli/data-folder.ts';
import { preparePostgresHome } from '#database/postgres-home.ts';
import { findOrphans } from '#database/postgres-processes.ts';
import { isProcessRunning, pidExists } from '#lib/running-process.ts';
import { joinRunner } from '#test/support/runner-client.ts';
import { byNpm, command, complaint, hearth, installation, preparedFolder, serve, temporaryFolder } from './support.ts';

test('a server starts on an empty folder, answers, keeps a second one away, and stops its database when it is asked to end', async () => {
  const data = await temporaryFolder();
  const server = await serve(data);
  expect(await (await fetch(`${server.url}/healthz`)).text()).toBe('ok\n');
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect((await fetch(`${server.url}/api/v3/users/nobody`)).status).toBe(404);
  expect((await fetch(`${server.url}/api/v3/users/nobody`, { method: 'OPTIONS' })).status).toBe(204);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  const counted = (labels: string) => `hearth_http_request_duration_seconds_count{${labels}} 1\n`;
  expect(metrics).toContain(counted('method="GET",route="/api/v3/users/:username",status="404"'));
  expect(metrics).toContain(counted('method="OPTIONS",route="/api/v3/*",status="204"'));
  expect((await stat(join(data, 'secret-key'))).mode & 0o777).toBe(0o600);
  expect(complaint(await hearth(['serve', '--port', '0', '--data', data]))).toBe(
    'Another Hearth runs on this data folder: stop it, or choose another folder by --data',
  );
  const pid = Number((await readFile(join(data, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0]);
  expect(await server.end()).toBe(0);
  expect(pidExists(pid)).toBe(false);
});

test('npm start ends with its server when it is asked to end', async () => {
  const { data, env } = await installation();
  const server = await serve(data, [], env, byNpm);
  server.process.kill('SIGTERM');
  await expect
    .poll(
      () =>
        fetch(`${server.url}/healthz`).then(
          () => 'answers',
          () => 'is gone',
        ),
      { timeout: 20_000 },
    )
    .toBe('is gone');
});

test('a folder of another account, where no key can be made, is refused in one line', async () => {
  const said = /^The data folder \/proc can't be used: no permission to read and write there$/;
  await expect(makeSecretKey({ path: '/proc' })).rejects.toThrow(said);
});

const postmasterOf = async (data: string): Promise<number> =>
  Number((await readFile(join(data, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0]);

const hasEnded = (pid: number) => expect.poll(() => isProcessRunning(pid), { timeout: 20_000 }).toBe(false);

test('a kill ends the database too, and the next server loses nothing', async () => {
  const data = await preparedFolder();
  const first = await serve(data);
  expect((await command(['user', 'create', 'ada', '--data', data])).code).toBe(0);
  const pid = await postmasterOf(data);
  await first.end('SIGKILL');
  await hasEnded(pid);
  const second = await serve(data);
  expect((await fetch(`${second.url}/api/v3/users/ada`)).status).toBe(200);
});

describe('a background job that does not end by itself', () => {
  /** A server with a job that waits for a lock. */
  async function serveWithLongJob() {
    const data = await preparedFolder();
    const server = await serve(data);
    const pid = await postmasterOf(data);
    const { socket } = await preparePostgresHome(data);
    const client = new pg.Client({ host: socket, database: 'hearth', user: 'hearth' });
    client.on('error', () => undefined); // PostgreSQL ends it
    await client.connect();
    const isOver = `select from jobs._private_jobs where locked_at is not null`;
    await expect.poll(async () => (await client.query(isOver)).rowCount, { timeout: 20_000 }).toBe(0);
    await client.query('begin');
    await client.query('lock table issues in access exclusive mode');
    const other = new pg.Client({ host: socket, database: 'hearth', user: 'hearth' });
    await other.connect();
    await other.query(`select jobs.add_job('issues.index-missing', '{}')`);
    const isWaiting = `select from pg_locks where relation = 'issues'::regclass and not granted`;
    await expect.poll(async () => (await other.query(isWaiting)).rowCount, { timeout: 20_000 }).toBeGreaterThan(0);
    await other.end();
    return { data, server, pid };
  }

  test('is interrupted at the end of its server, which stops its database', async () => {
    const { data, server, pid } = await serveWithLongJob();
    expect(await server.end()).toBe(0);
    expect(isProcessRunning(pid)).toBe(false);
    const again = await serve(data);
    expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
  });

  test('and a second signal: the server ends at once, and the database after it', async () => {
    const { server, pid } = await serveWithLongJob();
    server.process.kill('SIGTERM');
    await expect.poll(async () => (await fetch(`${server.url}/readyz`).catch(() => undefined))?.status).not.toBe(200);
    expect(await server.end()).toBe(1);
    await hasEnded(pid);
  });
});

test('a kill in the middle of a run loses no log of a finished step, and the run ends right', async () => {
  const { data, env, run } = await installation();
  const first = await serve(data, [], env);
  await run('user', 'create', 'ada');
  const { out } = await run(
    'token',
    'create',
    '--user',
    'ada',
    '--quiet',
    '--kind',
    'classic',
    '--scope',
    'repo',
    '--scope',
    'workflow',
  );
  const headers = { authorization: `Bearer ${out.trim()}`, 'content-type': 'application/json' };
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${first.url}/api/v3${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    expect([path, answer.status]).toEqual([path, expect.toSatisfy((status: number) => status < 300)]);
    return answer;
  };
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies by name
  const get = async (path: string): Promise<any> => (await call('GET', path)).json();
  await call('POST', '/user/repos', { name: 'engine' });
  const ci = 'on: push\njobs:\n  build: {runs-on: ubuntu-latest, steps: [{run: make}, {run: make test}]}\n';
  const content = Buffer.from(ci).toString('base64');
  await call('PUT', '/repos/ada/engine/contents/.github/workflows/ci.yml', { message: 'Add', content });
  const actions = '/repos/ada/engine/actions';
  await expect.poll(async () => (await get(`${actions}/runs`)).total_count).toBe(1);
  const registration = await call('POST', `${actions}/runners/registration-token`);
  const { token } = (await registration.json()) as { token: string };
  const runner = await joinRunner({ url: first.url, clock: { now: new Date() } }, { token });
  const task = await runner.fetch();
  if (!task) throw new Error('No job');
  await runner.log(task, ['make', 'made']);
  const [make, made] = [
    { first: 0, rows: 2 },
    { first: 2, rows: 1 },
  ];
  await runner.tell(task, [make]);
  await first.end('SIGKILL');
  await serve(data, ['--port', new URL(first.url).port], env);
  await runner.log(task, ['tested'], 2);
  await runner.end(task, 'success', { steps: [make, made] });
  const [{ id, conclusion }] = (await get(`${actions}/runs`)).workflow_runs;
  expect(conclusion).toBe('success');
  const [job] = (await get(`${actions}/runs/${id}/jobs`)).jobs;
  expect(job.steps.map((step: { conclusion: string }) => step.conclusion)).toEqual(Array(4).fill('success'));
  const log = await (await call('GET', `${actions}/jobs/${job.id}/logs`)).text();
  expect(log.split('\n').map((line) => line.slice(29))).toEqual(['make', 'made', 'tested', '']);
});

test('an embedded PostgreSQL that is killed is started again, and nothing is lost', async () => {
  const data = await preparedFolder();
  const server = await serve(data);
  expect((await command(['user', 'create', 'ada', '--data', data])).code).toBe(0);
  const postgresPid = async () => Number((await readFile(join(data, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0]);
  const first = await postgresPid();
  process.kill(first, 'SIGKILL');
  await expect.poll(() => postgresPid().catch(() => first)).not.toBe(first);
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect((await fetch(`${server.url}/api/v3/users/ada`)).status).toBe(200);
  const second = await postgresPid();
  expect(second).not.toBe(first);
  expect(await server.end()).toBe(0);
  expect(pidExists(second)).toBe(false);
});

test('after a kill of everything at once, a server starts at once, round after round, and nothing is lost', async () => {
  const data = await preparedFolder();
  for (const login of ['ada', 'bea']) {
    const server = await serve(data);
    expect((await command(['user', 'create', login, '--data', data])).code).toBe(0);
    const processes = await findOrphans(await preparePostgresHome(data));
    expect(processes.length).toBeGreaterThan(1);
    for (const { pid } of processes) process.kill(pid, 'SIGKILL');
    server.process.kill('SIGKILL');
  }
  const last = await serve(data);
  for (const login of ['ada', 'bea']) expect((await fetch(`${last.url}/api/v3/users/${login}`)).status).toBe(200);
});

test('no request fails while a server drains', async () => {
  const { data, env } = await installation();
  const server = await serve(data, ['--rate-limits', 'off', '--log', 'silent'], env);
  let stopped = false;
  const statuses: number[] = [];
  const failures: unknown[] = [];
  const client = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let last = performance.now();
    while (!stopped) {
      const before = last;
      last = performance.now();
      try {
        statuses.push(await statusOf(`${server.url}/api/v3/users/nobody`, agent));
      } catch (error) {
        // Refused connections are what a load balancer avoids by /readyz; a request that was taken must be answered. A connection
        // that sends nothing for half a second is closed, and on a busy machine its next request may be under way then.
        if (!isRefused(error) && performance.now() - before < 500) failures.push(error);
        break;
      }
    }
    agent.destroy();
  };
  const clients = Array.from({ length: 8 }, client);
  await expect.poll(() => statuses.length).toBeGreaterThan(100);
  const ended = server.end();
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).text(), { interval: 5 }).toBe('draining\n');
  expect(await ended).toBe(0);
  stopped = true;
  await Promise.all(clients);
  expect(failures).toEqual([]);
  expect(new Set(statuses)).toEqual(new Set([404]));
});

const isRefused = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';

const statusOf = (url: string, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.on('error', reject).on('end', () => resolve(response.statusCode ?? 0));
      response.resume();
    }).on('error', reject);
  });

test('several processes answer behind one port, and one that dies is replaced', async () => {
  const { data, env } = await installation();
  const server = await serve(data, ['--workers', '2'], env);
  const pids = async (): Promise<Set<string>> => {
    const seen = new Set<string>();
    for (let at = 0; at < 20; at++) await fetch(`${server.url}/healthz`, { headers: { connection: 'close' } });
    const log = server.log().matchAll(/"pid":(\d+),"msg":"Server listening/g);
    for (const [, pid] of log) if (pid) seen.add(pid);
    return seen;
  };
  const [first] = await pids();
  process.kill(Number(first), 'SIGKILL');
  await expect.poll(async () => (await pids()).size).toBe(3);
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('route="/healthz",status="200"');
  expect(await server.end()).toBe(0);
});

test.each([
  [
    'a port in use',
    async (data: string) => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const address = other.address();
      const port = typeof address === 'object' && address ? String(address.port) : '';
      const { env } = await installation();
      const run = await hearth(['serve', '--data', data, '--port', port], env);
      other.close();
      return run;
    },
    /^Port \d+ of 127\.0\.0\.1 is in use/,
  ],
  [
    'a port that is none',
    (data: string) => command(['serve', '--data', data, '--port', '70000']),
    /^--port must be a whole number/,
  ],
  [
    'a variable that says nonsense',
    () => command(['serve'], { HEARTH_VOCABULARY: 'x' }),
    /^HEARTH_VOCABULARY must be one of service, github$/,
  ],
  [
    'a data folder that is a file',
    async (data: string) => {
      await writeFile(join(data, 'file'), '');
      return command(['serve', '--data', join(data, 'file')]);
    },
    /can't be used: it is not a folder$/,
  ],
  ['a data folder that can not be made', () => command(['serve', '--data', '/proc/hearth']), /can't be used: no permission/],
  [
    'a data folder of a newer version',
    async (data: string) => {
      await writeFile(join(data, 'format'), '2\n');
      return command(['serve', '--data', data]);
    },
    /written by a newer Hearth/,
  ],
  [
    'a database that does not answer',
    (data: string) => command(['serve', '--data', data], { DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x' }),
    /^The database 127\.0\.0\.1:1\/x does not answer/,
  ],
  ['no git', (data: string) => command(['serve', '--data', data], { PATH: '/nowhere' }), /^git was not found/],
  [
    'a certificate without its key',
    async (data: string) => command(['serve', '--data', data, '--tls-cert', '/x.pem'], (await installation()).env),
    /^--tls-cert and --tls-key go together$/,
  ],
] as const)('%s: one clear line', async (_name, run, line) => {
  expect(complaint(await run(await temporaryFolder()))).toMatch(line);
});
