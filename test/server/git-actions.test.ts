import type { ServerResponse } from 'node:http';
import { beforeEach, expect, test } from 'vitest';
import type { Account, RepositoryRow } from '#access/viewer.ts';
import { countStatements } from '#database/client.ts';
import { repoOf } from '#git/store.ts';
import type { LimitOverrides } from '#resources/all.ts';
import type { Hearth } from '#server/hearth.ts';
import { git, scratch } from '#test/git/support.ts';
import { pushWorkflow } from '#test/resources/actions/workflow-runs/setting.ts';
import { startActionsOrigin } from '#test/support/actions-origin.ts';
import { commitFiles } from '#test/support/commit.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { fresh, world } from '#test/support/world.ts';

const origin = await startActionsOrigin();
const here = await world({ actionsOrigin: origin.url, resourceLimits: { workflows: { poll: 100 } } });
const alone = await listening(await here.another({ actionsOrigin: undefined }));
const ada = await here.user('ada');

beforeEach(() => {
  origin.answer = undefined;
  origin.requests.length = 0;
});

async function listening(server: Hearth): Promise<string> {
  return server.app.listen({ port: 0, host: '127.0.0.1' });
}

const workflow = (more = '') => `on: push\n${more}jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: x\n`;

/** A repository with a job that runs, and the job's token. */
async function running(owner: Account = ada, more?: string) {
  const repo = await here.repo(owner, { visibility: 'private' });
  await pushWorkflow(here, repo, { '.github/workflows/ci.yml': workflow(more) });
  const runner = await startRunner(here, repo);
  const task = await runner.fetch();
  const token = task?.secrets.GITHUB_TOKEN ?? '';
  return { repo, token, end: async () => task && runner.end(task, 'success') };
}

/** A repository with a file that says which one it is. */
async function action(owner: Account, visibility: RepositoryRow['visibility'], { shared = false, name = fresh('action') } = {}) {
  const repo = await here.repo(owner, { visibility, name });
  await commitFiles(here, repo, { 'action.yml': `# ${owner.login}/${name}\n` });
  const fullName = `${owner.login}/${name}`;
  if (shared) await (await here.as(owner)).put(`/repos/${fullName}/actions/permissions/access`, { access_level: 'user' });
  return { repo, fullName };
}

/** Puts an action at the origin. What it has there is of no repository that could be read here by that name. */
async function atOrigin(fullName: string, text = '# of the origin\n'): Promise<void> {
  const hidden = await here.repo(await here.user(), { visibility: 'private' });
  await commitFiles(here, hidden, { 'action.yml': text });
  origin.repos.set(fullName, repoOf(here.hearth.services.git, hidden.id));
}

const basic = (token: string) => `Basic ${btoa(`token:${token}`)}`;
const addressOf = (fullName: string, server = here.url) => `${server}/-/actions/${fullName}`;

/** What a clone has, by a token that is sent with each request, as runners do. */
async function cloned(address: string, token?: string, ...options: string[]): Promise<string> {
  const folder = await scratch();
  const header = token === undefined ? [] : ['-c', `http.extraHeader=Authorization: ${basic(token)}`];
  await git(folder, ...header, ...options, 'clone', '-q', address, '.');
  return git(folder, 'show', 'HEAD:action.yml');
}

const refsOf = (address: string) => `${address}/info/refs?service=git-upload-pack`;

/** How a server answers about a repository: for its refs and for its objects, which is the same. */
async function asked(address: string, token?: string): Promise<{ status: number; text: string }> {
  const authorization = token === undefined ? undefined : { authorization: basic(token) };
  const refs = await fetch(refsOf(address), { headers: { ...authorization }, redirect: 'manual' });
  const objects = await fetch(`${address}/git-upload-pack`, {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/x-git-upload-pack-request' },
    body: '0000',
    redirect: 'manual',
  });
  if (refs.status !== 200) expect(await objects.text()).toBe(await refs.clone().text());
  expect(objects.status).toBe(refs.status);
  if (refs.status === 401) expect(refs.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
  return { status: refs.status, text: await refs.text() };
}

const statusOf = async (address: string, token?: string) => (await asked(address, token)).status;

test('a job reads what is public, its own repository and what is shared with it, while it runs', async () => {
  const [open, shared, kept] = [
    await action(ada, 'public'),
    await action(ada, 'private', { shared: true }),
    await action(ada, 'private'),
  ];
  const of = await action(await here.user(), 'private', { shared: true });
  const { repo, token, end } = await running();
  const own = `ada/${repo.name}`;
  for (const { fullName } of [open, shared])
    for (const name of [fullName, `${fullName}.git`, fullName.toUpperCase()])
      expect(await cloned(addressOf(name, alone), token)).toBe(`# ${fullName}\n`);
  expect(await statusOf(addressOf(own, alone), token)).toBe(200);
  // Neither what isn't shared nor what another owner shares differs from what isn't there.
  const absent = await asked(addressOf('ada/absent', alone), token);
  expect(absent).toMatchObject({ status: 404, text: expect.stringMatching(/^Neither this server/) });
  for (const { fullName } of [kept, of]) expect(await asked(addressOf(fullName, alone), token)).toEqual(absent);

  expect(await cloned(addressOf(open.fullName, alone))).toBe(`# ${open.fullName}\n`);
  for (const name of [own, shared.fullName, kept.fullName, 'ada/absent', 'a/..', '%00/a', 'a%2Fb/c'])
    expect(await statusOf(addressOf(name, alone)), name).toBe(401);
  expect(await statusOf(addressOf(shared.fullName, alone), await here.token(await here.user()))).toBe(404);

  await (await here.as(ada)).put(`/repos/${shared.fullName}/actions/permissions/access`, { access_level: 'none' });
  expect(await statusOf(addressOf(shared.fullName, alone), token)).toBe(404);
  await end();
  expect(await statusOf(addressOf(own, alone), token)).toBe(401);
});

test('what a job may do in its own repository is a matter of its permissions; what others share is not', async () => {
  const shared = await action(ada, 'private', { shared: true });
  const { repo, token } = await running(ada, 'permissions: {}\n');
  expect(await statusOf(addressOf(shared.fullName, alone), token)).toBe(200);
  expect(await statusOf(addressOf(`ada/${repo.name}`, alone), token)).toBe(403);
});

test('the job of a pull request from a fork reads nothing that others share', async () => {
  const [open, shared] = [await action(ada, 'public'), await action(ada, 'private', { shared: true })];
  const { repo, token } = await running();
  await here.db.updateTable('workflow_runs').set({ is_from_fork: true }).where('repository_id', '=', repo.id).execute();
  expect(await statusOf(addressOf(shared.fullName, alone), token)).toBe(404);
  expect(await statusOf(addressOf(open.fullName, alone), token)).toBe(200);
});

test('a token whose job is over reads nothing that others share', async () => {
  const shared = await action(ada, 'private', { shared: true });
  const { repo, token } = await running();
  await here.db
    .updateTable('workflow_jobs')
    .set({ status: 'completed', conclusion: 'success' })
    .where('repository_id', '=', repo.id)
    .execute();
  expect(await statusOf(addressOf(shared.fullName, alone), token)).toBe(404);
});

test('nothing is shared any more with a job whose repository was made public, or with one of another owner', async () => {
  const client = await here.as(ada);
  const shared = await action(ada, 'private', { shared: true });
  const { repo, token } = await running();
  const address = addressOf(shared.fullName, alone);
  expect(await statusOf(address, token)).toBe(200);
  expect((await client.patch(`/repos/ada/${repo.name}`, { visibility: 'public' })).status).toBe(200);
  expect(await statusOf(address, token)).toBe(404);
  const second = await running();
  expect(await statusOf(address, second.token)).toBe(200);
  const org = await here.org(ada);
  expect((await client.post(`/repos/${shared.fullName}/transfer`, { new_owner: org.login })).status).toBe(202);
  await here.settle();
  const moved = shared.fullName.replace('ada', org.login);
  for (const name of [shared.fullName, moved]) expect(await statusOf(addressOf(name, alone), second.token), name).toBe(404);
});

test('an action is found by its former name', async () => {
  const client = await here.as(ada);
  const { token } = await running();
  for (const { fullName } of [await action(ada, 'public'), await action(ada, 'private', { shared: true })]) {
    expect((await client.patch(`/repos/${fullName}`, { name: fresh('renamed') })).status).toBe(200);
    expect(await cloned(addressOf(fullName, alone), token)).toBe(`# ${fullName}\n`);
  }
});

test('nothing is pushed to an action', async () => {
  const { fullName } = await action(ada, 'public');
  const headers = { authorization: basic(await here.token(ada)), 'content-type': 'application/x-git-receive-pack-request' };
  expect((await fetch(`${addressOf(fullName)}/info/refs?service=git-receive-pack`, { headers })).status).toBe(403);
  expect((await fetch(`${addressOf(fullName)}/info/refs`, { headers })).status).toBe(403);
  expect((await fetch(`${addressOf(fullName)}/git-receive-pack`, { method: 'POST', headers, body: '0000' })).status).toBe(404);
  expect((await fetch(`${addressOf(fullName)}/git-upload-pack`, { method: 'POST', headers, body: '0000' })).status).toBe(415);
});

test('to find an action takes the same few statements whatever it is', async () => {
  const [open, shared] = [await action(ada, 'public'), await action(ada, 'private', { shared: true })];
  const { token } = await running();
  const count = async (fullName: string) => {
    const url = refsOf(`/-/actions/${fullName}`);
    const ask = () => here.hearth.app.inject({ method: 'GET', url, headers: { authorization: basic(token) } });
    await ask();
    const { result, statements } = await countStatements(ask);
    expect(result.statusCode).toBe(200);
    return statements.length;
  };
  expect({ open: await count(open.fullName), shared: await count(shared.fullName) }).toEqual({ open: 2, shared: 5 });
});

test('what this server has not comes from the origin, which learns nothing of who asks', async () => {
  const { token } = await running();
  const name = `${fresh('elsewhere')}/tool`;
  await atOrigin(name);
  for (const version of ['0', '1', '2'])
    for (const by of [undefined, token, await here.token(ada)])
      expect(await cloned(addressOf(name), by, '-c', `protocol.version=${version}`)).toBe('# of the origin\n');
  expect(origin.requests.length).toBeGreaterThan(17);
  const ofGit = [
    'accept',
    'connection',
    'content-encoding',
    'content-length',
    'content-type',
    'git-protocol',
    'host',
    'user-agent',
  ];
  const headers = new Set(origin.requests.flatMap((request) => Object.keys(request.headers)));
  expect([...headers].filter((header) => !ofGit.includes(header))).toEqual([]);
  expect(JSON.stringify(origin.requests)).not.toContain(token);
  expect(new Set(origin.requests.map((request) => request.headers['git-protocol']))).toEqual(
    new Set([undefined, 'version=1', 'version=2']),
  );
  expect(await asked(addressOf(name, alone), token)).toMatchObject({ status: 404 });
});

test('a request that Git has packed is passed on', async () => {
  const name = `${fresh('elsewhere')}/tool`;
  await atOrigin(name);
  const folder = await scratch();
  await git(folder, 'clone', '-q', addressOf(name), '.');
  for (let at = 0; at < 40; at++) await git(folder, 'commit', '-q', '--allow-empty', '-m', `${at}`);
  // The client tells of its commits, none of which are in the other repository.
  const other = `${fresh('elsewhere')}/tool`;
  await atOrigin(other, '# another\n');
  await git(folder, 'fetch', '-q', addressOf(other), 'main:other');
  expect(await git(folder, 'show', 'other:action.yml')).toBe('# another\n');
  expect(origin.requests.map((request) => request.headers['content-encoding'])).toContain('gzip');
});

test('what is here comes before what is at the origin, for those who may read it', async () => {
  const [open, shared, kept] = [
    await action(ada, 'public'),
    await action(ada, 'private', { shared: true }),
    await action(ada, 'private'),
  ];
  for (const { fullName } of [open, shared, kept]) await atOrigin(fullName);
  const { token } = await running();
  expect(await cloned(addressOf(open.fullName), token)).toBe(`# ${open.fullName}\n`);
  expect(await cloned(addressOf(shared.fullName), token)).toBe(`# ${shared.fullName}\n`);
  expect(origin.requests).toEqual([]);
  expect(await cloned(addressOf(shared.fullName))).toBe('# of the origin\n');
  expect(await cloned(addressOf(kept.fullName), token)).toBe('# of the origin\n');
});

test('what the origin has under another name now is read by that one', async () => {
  const [old, now] = [`${fresh('elsewhere')}/tool`, `${fresh('elsewhere')}/renamed`];
  await atOrigin(now);
  const { repos } = origin;
  origin.answer = ({ url = '' }, response) => {
    origin.answer = undefined;
    response.writeHead(301, { location: url.replace(old, now) }).end();
  };
  const { token } = await running();
  expect(repos.has(old)).toBe(false);
  expect(await cloned(addressOf(old), token)).toBe('# of the origin\n');
  expect(JSON.stringify(origin.requests)).not.toContain('authorization');
});

const advertisement = { 'content-type': 'application/x-git-upload-pack-advertisement' };
/** A header of one request serves for both. */
const gitType = (path: string) =>
  path.endsWith('/git-upload-pack') ? { 'content-type': 'application/x-git-upload-pack-result' } : advertisement;

test.each<[string, number, (response: ServerResponse, path: string) => void]>([
  ['has no such repository', 404, (response) => response.writeHead(404).end('no')],
  ['wants a credential', 404, (response) => response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()],
  ['fails', 502, (response) => response.writeHead(500).end('secret')],
  ['answers a page', 502, (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
  ['packs its answer', 502, (response, path) => response.writeHead(200, { ...gitType(path), 'content-encoding': 'gzip' }).end()],
  [
    'redirects to another server',
    502,
    (response, path) => response.writeHead(302, { location: `http://127.0.0.2${path.replace('tool', 'moved')}` }).end(),
  ],
  ['redirects to another scheme', 502, (response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end()],
  ['redirects nowhere', 502, (response) => response.writeHead(302).end()],
  ['redirects to itself', 502, (response, path) => response.writeHead(302, { location: path }).end()],
  ['redirects to a page', 502, (response) => response.writeHead(302, { location: '/login' }).end()],
  ['breaks off', 502, (response) => response.destroy()],
  ['promises too much', 502, (response, path) => response.writeHead(200, { ...gitType(path), 'content-length': 2 ** 31 }).end()],
])('an origin that %s is answered by %i', async (_, status, answer) => {
  const { token } = await running();
  origin.answer = ({ url = '' }, response) => answer(response, url);
  const reply = await asked(addressOf(`${fresh('elsewhere')}/tool`), token);
  expect(reply.status).toBe(status);
  expect(reply.text).toMatch(status === 404 ? /^Neither this server/ : /^The origin of actions, 127.0.0.1:\d+, /);
  expect(reply.text).not.toContain('secret');
  expect(here.hearth.services.originLimiter.running).toBe(0);
});

test('without a credential, what the origin has not is answered as what this server hides', async () => {
  const { fullName } = await action(ada, 'private');
  const absent = await asked(addressOf('ada/absent'));
  expect(absent.status).toBe(401);
  expect(await asked(addressOf(fullName))).toEqual(absent);
  // A repository of this server that is at the origin by its name is asked for there, too.
  expect(origin.requests.map(({ path }) => path.split('/')[2])).toContain(fullName.split('/')[1]);
  for (const name of ['..%2Fa/b', 'a/%2e%2e', '%00/a', 'a%3Fb/c', 'a%20b/c']) {
    origin.requests.length = 0;
    expect(await statusOf(addressOf(name)), name).toBe(401);
    expect(origin.requests).toEqual([]);
  }
});

test('an origin that is away is named', async () => {
  const gone = await startActionsOrigin();
  await gone.close();
  const server = await listening(await here.another({ actionsOrigin: gone.url }));
  const reply = await asked(addressOf('elsewhere/tool', server));
  expect(reply).toEqual({ status: 502, text: `The origin of actions, ${new URL(gone.url).host}, cannot be reached\n` });
});

/** A server that takes less of the origin, with the limiter of what it passes on. */
async function bounded(workflows: LimitOverrides['workflows']) {
  const server = await here.another({ actionsOrigin: origin.url, resourceLimits: { workflows } });
  const address = addressOf(`${fresh('elsewhere')}/tool`, await listening(server));
  return { address, transfers: server.services.originLimiter };
}

/** What came of an answer that breaks off. */
async function broken({ address, transfers }: Awaited<ReturnType<typeof bounded>>, answer: (response: ServerResponse) => void) {
  origin.answer = (_, response) => answer(response.writeHead(200, advertisement));
  const reply = await fetch(refsOf(address));
  expect(reply.status).toBe(200);
  let bytes = 0;
  const read = async () => {
    for await (const part of reply.body ?? []) bytes += part.length;
  };
  await expect(read()).rejects.toThrow('terminated');
  await expect.poll(() => transfers.running).toBe(0);
  return bytes;
}

test('an origin that answers too much is ended', async () => {
  const server = await bounded({ originBytes: 100_000 });
  expect(await broken(server, (response) => response.end(Buffer.alloc(1_000_000)))).toBeLessThanOrEqual(100_000);
});

test('an origin that is silent is ended, before it answers and later', async () => {
  const server = await bounded({ originSilence: 300 });
  origin.answer = () => undefined;
  expect(await asked(server.address)).toMatchObject({ status: 502, text: expect.stringMatching('does not answer') });
  expect(await broken(server, (response) => response.write('begun'))).toBe(5);
});

test('an origin that answers a byte at a time is ended', async () => {
  const server = await bounded({ originTime: 500 });
  let drops: NodeJS.Timeout | undefined;
  const bytes = await broken(server, (response) => {
    response.write('begun');
    drops = setInterval(() => response.write('.'), 20);
  });
  clearInterval(drops);
  expect(bytes).toBeGreaterThan(5);
});

test('a request that wants too much is refused', async () => {
  const { address } = await bounded({ originRequest: 1_000 });
  const headers = { 'content-type': 'application/x-git-upload-pack-request' };
  const long = await fetch(`${address}/git-upload-pack`, { method: 'POST', headers, body: 'x'.repeat(1_001) });
  expect(long.status).toBe(413);
  expect(origin.requests).toEqual([]);
});

test('who goes away frees the place, and those beyond the number wait for theirs', async () => {
  const { address, transfers } = await bounded({
    originTransfers: 1,
    originTransfersPerCaller: 1,
    originTransfersAnonymous: 1,
  });
  origin.answer = (_, response) => response.writeHead(200, advertisement).write('begun');
  const leaves = new AbortController();
  await fetch(refsOf(address), { signal: leaves.signal });
  const next = fetch(refsOf(address));
  await expect.poll(() => [transfers.running, transfers.waiting]).toEqual([1, 1]);
  origin.answer = (_, response) => response.writeHead(404).end();
  leaves.abort();
  expect((await next).status).toBe(401);
  expect([transfers.running, transfers.waiting]).toEqual([0, 0]);

  // Nobody is there any more before the origin begins to answer.
  const { promise: wanted, resolve: want } = Promise.withResolvers<ServerResponse>();
  origin.answer = (_, response) => want(response);
  const impatient = new AbortController();
  const left = fetch(refsOf(address), { signal: impatient.signal });
  const late = await wanted;
  impatient.abort();
  await expect(left).rejects.toThrow('aborted');
  await expect.poll(() => [transfers.running, late.destroyed]).toEqual([0, true]);
});
