// The files of releases, for who runs the server: in backups and in what `hearth doctor` says.
import { readdir, utimes } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { joinRunner } from '#test/support/runner-client.ts';
import { s3Server } from '#test/support/s3-server.ts';
import { command, complaint, installation, serve, temporaryFolder } from './support.ts';

test('a backup holds the files of a bucket, or leaves them where they are', async () => {
  const s3 = await s3Server();
  const { at, endpoint = '', region, accessKeyId = '', secretAccessKey = '' } = s3.settings;
  const bucket = { HEARTH_OBJECTS: `s3://${at.bucket}/${at.prefix}`, AWS_ENDPOINT_URL_S3: endpoint, AWS_REGION: region };
  const inBucket = { ...bucket, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  const { data, env, run } = await installation();
  const there = (...args: string[]) => command([...args, '--data', data], { ...env, ...inBucket });
  await run('user', 'create', 'ada');
  await run('repo', 'create', 'ada/hearth');
  const token = (await run('token', 'create', '--user', 'ada', '--kind', 'classic', '--scope', 'repo', '--quiet')).out.trim();
  const server = await serve(data, [], { ...env, ...inBucket });
  const post = async (path: string, body: string): Promise<{ id: number }> => {
    const address = `${server.url}/api/v3/repos/ada/hearth/releases${path}`;
    const reply = await fetch(address, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body });
    return JSON.parse(await reply.text());
  };
  const release = await post('', JSON.stringify({ tag_name: 'v1', draft: true }));
  await post(`/${release.id}/assets?name=a.txt`, 'the bytes of a file');
  expect(await server.end()).toBe(0);
  const parent = await temporaryFolder();
  const [whole, without] = [join(parent, 'whole'), join(parent, 'without')];
  expect((await there('backup', whole)).code).toBe(0);
  expect((await there('backup', '--no-files', without)).code).toBe(0);

  const files = async (...more: string[]) => {
    const found = JSON.parse((await there('doctor', '--json', ...more)).out) as { check: string; ok: boolean; detail: string }[];
    return found.filter(({ check }) => check.startsWith('file'));
  };
  expect(await files('--deep')).toEqual([
    { check: 'files', ok: true, detail: '1 file of releases, 0 MiB' },
    { check: 'file contents', ok: true, detail: expect.stringMatching(/^1 file .*: every one is whole$/) },
  ]);
  const [key = ''] = await s3.keys();
  expect(await s3.keys()).toEqual([key]);
  s3.fail(() => true, 403, 100);
  expect(await files()).toMatchObject([
    { check: 'files', ok: false, detail: expect.stringContaining("their store can't be used (InternalError)") },
  ]);
  s3.fail(() => false, 403, 0);

  const folder = await installation();
  expect((await folder.run('restore', whole, '--other-key')).code).toBe(0);
  expect(JSON.parse((await folder.run('doctor', '--json', '--deep')).out)).toContainEqual({
    check: 'file contents',
    ok: true,
    detail: expect.stringMatching(/^1 file .*: every one is whole$/),
  });
  const lacking = await (await installation()).run('restore', without, '--other-key');
  expect([lacking.code, lacking.err]).toEqual([1, expect.stringContaining('made without files')]);
  const elsewhere = await run('backup', join(parent, 'elsewhere'));
  expect([elsewhere.code, elsewhere.err]).toEqual([1, expect.stringContaining('HEARTH_OBJECTS')]);
  const other = await installation();
  expect((await command(['restore', without, '--other-key', '--data', other.data], { ...other.env, ...inBucket })).code).toBe(0);
  await s3.replace(key, Buffer.from('other bytes'));
  expect(await files('--deep')).toContainEqual({
    check: 'file contents',
    ok: false,
    detail: expect.stringMatching(/: \d+\/[0-9a-f]+ is not what was uploaded$/),
  });
  await s3.replace(key, undefined);
  expect((await files('--deep'))[1]).toMatchObject({ ok: false, detail: expect.stringContaining('is missing') });
});

test('a bucket needs a name and a key', async () => {
  const named = { HEARTH_OBJECTS: 's3://files' };
  const { data, env } = await installation();
  expect(complaint(await command(['doctor', '--data', data], { ...env, ...named }))).toMatch(/needs AWS_ACCESS_KEY_ID/);
  for (const wrong of ['files', 's3://', 's3://a', 's3://FILES', 's3://files/../x', 'https://files'])
    expect(complaint(await command(['doctor', '--data', data], { ...env, HEARTH_OBJECTS: wrong }))).toMatch(/must be as s3:/);
  const shown = await command(['config'], { HEARTH_OBJECTS: 's3://files/a//b/', AWS_SECRET_ACCESS_KEY: 'hidden' });
  expect(shown.out).toMatch(/HEARTH_OBJECTS\s+s3:\/\/files\/a\/b\s+variable/);
  expect(shown.out).not.toMatch(/AWS_SECRET_ACCESS_KEY\s+hidden/);
});

test('of an upload during which the server is killed, nothing is shown, and its bytes are removed', async () => {
  const { data, env, run } = await installation();
  await run('user', 'create', 'ada');
  await run('repo', 'create', 'ada/hearth');
  const token = (await run('token', 'create', '--user', 'ada', '--kind', 'classic', '--scope', 'repo', '--quiet')).out.trim();
  const headers = { authorization: `Bearer ${token}` };
  const at = '/api/v3/repos/ada/hearth/releases';
  const server = await serve(data, [], env);
  const made = await fetch(server.url + at, { method: 'POST', headers, body: JSON.stringify({ tag_name: 'v1', draft: true }) });
  const { id } = JSON.parse(await made.text());
  const stored = async () => (await readdir(join(data, 'objects'), { recursive: true })).filter((name) => name.includes('/'));
  const sending = request(`${server.url}${at}/${id}/assets?name=a.bin`, { method: 'POST', headers });
  const broken = new Promise((resolve) => sending.on('error', resolve));
  sending.write(Buffer.alloc(5_000_000));
  await expect.poll(() => stored().catch(() => [])).toEqual([expect.stringMatching(/\.partial$/)]);
  await server.end('SIGKILL');
  await broken;

  const again = await serve(data, [], env);
  expect(await (await fetch(`${again.url}${at}/${id}/assets`, { headers })).json()).toEqual([]);
  const [left = ''] = await stored();
  const old = new Date(Date.now() - 7_200_000);
  await utimes(join(data, 'objects', left), old, old);
  const client = new pg.Client(env.DATABASE_URL);
  await client.connect();
  await client.query(`select jobs.add_job('stored-files.tidy')`);
  await client.end();
  await expect.poll(stored, { timeout: 20_000 }).toEqual([]);
  const upload = { method: 'POST', headers, body: 'whole' };
  expect((await fetch(`${again.url}${at}/${id}/assets?name=a.bin`, upload)).status).toBe(201);
  expect(await again.end()).toBe(0);
});

test('a backup brings back the log of a job that is over, and ids go on above its own', async () => {
  const { data, env, run } = await installation();
  await run('user', 'create', 'ada');
  await run('repo', 'create', 'ada/hearth');
  const scopes = ['repo', 'workflow'].flatMap((scope) => ['--scope', scope]);
  const token = (await run('token', 'create', '--user', 'ada', '--kind', 'classic', ...scopes, '--quiet')).out.trim();
  const ask = async (url: string, path: string, method = 'GET', body?: object): Promise<string> => {
    const headers = { authorization: `Bearer ${token}` };
    const given = body && { body: JSON.stringify(body) };
    return (await fetch(`${url}/api/v3/repos/ada/hearth${path}`, { method, headers, ...given })).text();
  };
  const server = await serve(data, [], env);
  const workflow = 'on: push\njobs: {build: {runs-on: ubuntu-latest, steps: [{run: make}]}}\n';
  const content = Buffer.from(workflow).toString('base64');
  await ask(server.url, '/contents/.github/workflows/ci.yml', 'PUT', { message: 'CI', content });
  const registration = JSON.parse(await ask(server.url, '/actions/runners/registration-token', 'POST'));
  const runner = await joinRunner({ url: server.url, clock: { now: new Date() } }, { token: registration.token });
  let task: Awaited<ReturnType<typeof runner.fetch>>;
  while (!task) task = await runner.fetch();
  await runner.log(task, ['the engine was made']);
  await runner.end(task, 'success', { steps: [{ first: 0, rows: 1 }] });
  // It is in the database until a job moves it.
  const stored = async () => (await readdir(join(data, 'objects'), { recursive: true }).catch(() => [])).join(' ');
  await expect.poll(stored).toMatch(/logs-/);
  expect(await server.end()).toBe(0);
  // Jobs draw their ids from the sequence of checks, of which none is left.
  const database = new pg.Client(env.DATABASE_URL);
  await database.connect();
  await database.query('delete from check_runs');
  await database.end();

  const folder = join(await temporaryFolder(), 'whole');
  expect((await run('backup', folder)).code).toBe(0);
  const other = await installation();
  expect((await other.run('restore', folder, '--other-key')).code).toBe(0);
  const restored = await serve(other.data, [], other.env);
  expect(await ask(restored.url, `/actions/jobs/${task.id}/logs`)).toMatch(/^\S+Z the engine was made\n$/);
  const [ended] = JSON.parse(await ask(restored.url, '/actions/runs')).workflow_runs;
  expect(await ask(restored.url, `/actions/runs/${ended.id}/rerun`, 'POST')).toBe('{}');
  const { jobs } = JSON.parse(await ask(restored.url, `/actions/runs/${ended.id}/jobs`));
  expect(jobs).toMatchObject([{ run_attempt: 2 }]);
  expect(jobs[0].id).toBeGreaterThan(Number(task.id));
  expect(await restored.end()).toBe(0);
});
