// Each line of the log has the fields of its sample in docs/logs.md.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createRunnerToken } from '#resources/actions/runners/index.ts';
import { hasOpenSsh, sshWorld } from '#test/ssh-server/support.ts';
import { fresh } from '#test/support/world.ts';

type Line = Record<string, unknown> & { msg: string };

const lines: Line[] = [];
const log = pino({ level: 'info' }, { write: (text: string) => void lines.push(JSON.parse(text)) });
const { here, git, keyFile, address, folder } = await sshWorld({ log, slow: { request: 0, statement: 20 } });

const samples: Line[] = [...readFileSync('docs/logs.md', 'utf8').matchAll(/^ {4}(\{.*\})$/gm)].map(([, text = '']) =>
  JSON.parse(text),
);
const fieldsOf = ({ hostname: _, ...line }: Line): string[] => Object.keys(line).sort();

/** Waits for the line with a message, which the sample with this message describes, and removes it and what was before it. */
async function lineOf(msg: string, isMeant: (line: Line) => boolean = () => true): Promise<Line> {
  const find = () => lines.findIndex((line) => line.msg === msg && isMeant(line));
  await expect.poll(find, { message: msg }).toBeGreaterThanOrEqual(0);
  const [line] = lines.splice(0, find() + 1).slice(-1);
  if (!line) throw new Error('It was found before');
  const fitting = samples.filter((sample) => sample.msg === msg && isMeant(sample));
  expect(fitting.map(fieldsOf), msg).toContainEqual(fieldsOf(line));
  return line;
}

/** A request with a client's name, as an account or for nobody. */
async function ask(method: string, path: string, token?: string, body?: unknown): Promise<Response> {
  const headers = { 'user-agent': 'teller/1.0', ...(token ? { authorization: `Bearer ${token}` } : {}) };
  return fetch(`${here.url}/api/v3${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

const ada = await here.user();
const repo = await here.repo(ada, { visibility: 'private' });
const name = `${ada.login}/${repo.name}`;
const token = await here.token(ada);
const { id: tokenId } = await here.db.selectFrom('tokens').select('id').orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow();
const who = { actor: ada.login, credential: 'classic_pat', token: tokenId, address: '127.0.0.1' };

test('a request: who, which repository, from where, by which token and program', async () => {
  const reply = await ask('GET', `/repos/${name}`, token);
  const id = reply.headers.get('x-service-request-id');
  expect(await lineOf('GET /api/v3/repos/:owner/:repo 200')).toMatchObject({
    id,
    ...who,
    repository: name,
    agent: 'teller/1.0',
  });
});

test('an address without a repository, and a caller without a credential', async () => {
  await ask('GET', `/repos/${name}`);
  await expect.poll(() => lines.map(({ msg }) => msg)).toContain('GET /api/v3/repos/:owner/:repo 404');
  const line = lines.find(({ msg }) => msg.endsWith(' 404'));
  expect(line).toMatchObject({ repository: name, address: '127.0.0.1' });
  expect(line).not.toHaveProperty('actor');
  expect(line).not.toHaveProperty('credential');
});

test('a failure of the server: its cause, in the line of the request and in one of its own', async () => {
  await sql`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'could not read block 7'; end $$`.execute(here.db);
  await sql`create trigger fail before insert on labels execute function fail()`.execute(here.db);
  onTestFinished(async () => void (await sql`drop function fail() cascade`.execute(here.db)));
  const reply = await ask('POST', `/repos/${name}/labels`, token, { name: 'a' });
  const id = reply.headers.get('x-service-request-id');
  expect(reply.status).toBe(500);
  expect(await lineOf('a request failed')).toMatchObject({ level: 50, id, err: { message: 'could not read block 7' } });
  const line = await lineOf('POST /api/v3/repos/:owner/:repo/labels 500');
  expect(line).toMatchObject({ level: 40, id, ...who, repository: name, cause: 'error: could not read block 7' });
});

test.skipIf(!hasOpenSsh)('Git over HTTP and SSH', async () => {
  const key = keyFile();
  await (await here.as(ada)).post('/user/keys', { key: key.line });
  const work = join(folder, fresh('work'));
  mkdirSync(work);
  const inWork = { cwd: work };
  await git(key, ['init', '-q', '-b', 'main'], inWork);
  await git(key, ['commit', '-qm', 'one', '--allow-empty'], inWork);
  const http = `${here.url.replace('//', `//x:${token}@`)}/${name}.git`;
  expect(await git(key, ['push', http, 'main'], inWork)).toMatchObject({ code: 0 });
  const pushed = await lineOf('POST /:owner/:repo/git-receive-pack 200');
  expect(pushed).toMatchObject({ ...who, repository: name, agent: expect.stringMatching(/^git\//) });
  expect(await git(key, ['ls-remote', address(ada.login, repo.name)], inWork)).toMatchObject({ code: 0 });
  const fetched = await lineOf('SSH git-upload-pack 0');
  const ssh = { actor: ada.login, address: '127.0.0.1', credential: 'ssh_key', key: expect.any(Number) };
  expect(fetched).toMatchObject({ ...ssh, repository: name, agent: expect.stringMatching(/^OpenSSH/) });
});

test('a slow request and a slow statement, whose values are left out', async () => {
  await sql`select pg_sleep(${0.05}), ${'a value'}::text`.execute(here.db);
  expect(await lineOf('a statement was slow')).toMatchObject({ statement: 'select pg_sleep($1), $2::text', failed: false });
  const { app } = await here.another({ slow: { request: 1, statement: 0 } });
  const headers = { authorization: `Bearer ${token}`, 'user-agent': 'teller/1.0' };
  await app.inject({ method: 'POST', url: '/api/v3/user/repos', headers, payload: { name: fresh('repo') } });
  expect(await lineOf('POST /api/v3/user/repos 201')).toMatchObject({ level: 40, slow: true });
});

test('no credential is in the log, wherever a client puts one', async () => {
  lines.length = 0;
  const canary = `${token.slice(0, 4)}${'Canary00'.repeat(5)}`;
  const basic = Buffer.from(`x:${canary}`).toString('base64');
  await ask('GET', `/repos/${canary}/${canary}?access_token=${canary}`);
  await ask('POST', '/user/repos', token, { name: fresh('repo'), description: canary });
  await fetch(`${here.url}/${canary}/x.git/info/refs?service=git-upload-pack`, { headers: { authorization: `Basic ${basic}` } });
  await fetch(`${here.url}/${name}.git/info/refs?service=git-upload-pack`, { headers: { 'user-agent': canary } });
  await fetch(`${here.url}/api/v3/${canary}`, {
    headers: { authorization: `Bearer ${canary}`, cookie: canary, referer: canary },
  });
  await expect.poll(() => lines.length).toBeGreaterThanOrEqual(5);
  const text = JSON.stringify(lines);
  for (const secret of [canary, basic, token]) expect(text).not.toContain(secret);
});

test('a runner, and why one of its requests failed', async () => {
  const token = await here.change((scope) =>
    createRunnerToken(scope, { repository: repo.id }, { purpose: 'registration', now: here.clock.now }),
  );
  const call = (method: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${here.url}/api/actions/runner.v1.RunnerService/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const registered = (await (await call('Register', { token: token.token, name: 'r1', labels: ['linux:host'] })).json()) as {
    runner: { id: string; uuid: string; token: string };
  };
  const { id, uuid, token: secret } = registered.runner;
  const headers = { 'x-runner-uuid': uuid, 'x-runner-token': secret };
  lines.length = 0;
  await call('Declare', { labels: ['linux:host'] }, headers);
  await expect.poll(() => lines).toMatchObject([{ actor: 'r1', runner: Number(id), address: '127.0.0.1', status: 200 }]);
  await sql`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'could not read block 8'; end $$`.execute(here.db);
  await sql`create trigger fail before update on runners execute function fail()`.execute(here.db);
  onTestFinished(async () => void (await sql`drop function fail() cascade`.execute(here.db)));
  expect((await call('Declare', { labels: ['mac:host'] }, headers)).status).toBe(500);
  const failed = { level: 40, actor: 'r1', status: 500, cause: expect.stringContaining('could not read block 8') };
  await expect.poll(() => lines).toContainEqual(expect.objectContaining(failed));
  expect(JSON.stringify(lines)).not.toContain(secret);
});
