import pino from 'pino';
import { expect, test } from 'vitest';
import { defaultLimits } from '#access/rate-limits.ts';
import type { RepositoryRow } from '#access/viewer.ts';
import { findRef } from '#git/refs/refs.ts';
import { git, scratch } from '#test/git/support.ts';
import { diskOf, told } from '#test/resources/code/pushes/support.ts';
import { installApp, oauthToken } from '#test/support/apps.ts';
import { fresh, type World, world } from '#test/support/world.ts';
import { addressOf, complaint, head, type Owned, owned, workTree } from './support.ts';

const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** How the four requests of Git are answered: the refs and the exchange, of fetching and of pushing. */
async function statuses(url: string, authorization?: string): Promise<{ fetch: number; push: number }> {
  const ask = async (service: string) => {
    const headers = authorization === undefined ? {} : { authorization };
    const refs = await fetch(`${url}/info/refs?service=${service}`, { headers, redirect: 'manual' });
    const exchange = await fetch(`${url}/${service}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': `application/x-${service}-request` },
      body: '0000',
      redirect: 'manual',
    });
    expect(exchange.status).toBe(refs.status);
    if (refs.status === 401) expect(refs.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    return refs.status;
  };
  return { fetch: await ask('git-upload-pack'), push: await ask('git-receive-pack') };
}

/** Credentials by name; each has a repository of `owner`'s before it, which is public or private. */
async function credentials(here: World) {
  const owner = await here.user();
  const [writer, reader, stranger] = [await here.user(), await here.user(), await here.user()];
  const make = async (visibility: RepositoryRow['visibility']): Promise<Owned> => {
    const repo = await here.repo(owner, { visibility });
    await here.collaborator(repo, writer, 'write');
    await here.collaborator(repo, reader, 'read');
    return repo;
  };
  const repos = { public: await make('public'), private: await make('private') };
  const both = [repos.public, repos.private];
  const elsewhere = await here.repo(owner);
  const reading = await installApp(here, { on: owner, permissions: { contents: 'read' } });
  const writing = await installApp(here, { on: owner, permissions: { contents: 'write' }, repositories: both });
  const tokens: Record<string, string> = {
    'classic, repo': await here.token(writer, ['repo']),
    'classic, public_repo': await here.token(writer, ['public_repo']),
    'classic, no scope': await here.token(writer, []),
    'classic of the owner': await here.token(owner, ['repo']),
    'classic of a reader': await here.token(reader, ['repo']),
    'classic of a stranger': await here.token(stranger, ['repo']),
    'OAuth, repo': await oauthToken(here, writer, ['repo']),
    'OAuth, gist': await oauthToken(here, writer, ['gist']),
    'fine-grained, write': await here.fineGrained(owner, owner, { contents: 'write' }),
    'fine-grained, read': await here.fineGrained(owner, owner, { contents: 'read' }),
    'fine-grained, issues': await here.fineGrained(owner, owner, { issues: 'write' }),
    'fine-grained, another repository': await here.fineGrained(owner, owner, { contents: 'write' }, [elsewhere]),
    'fine-grained, of a stranger': await here.fineGrained(stranger, stranger, { contents: 'write' }),
    'installation, read': reading.token,
    'installation, write': writing.token,
    'app for a writer': await writing.userToken(writer),
    'app for a stranger': await writing.userToken(stranger),
    'app that reads, for the owner': await reading.userToken(owner),
  };
  return { here, repos, tokens };
}

const logged: string[] = [];
const made = world({
  log: pino({ level: 'trace' }, { write: (line) => void logged.push(line) }),
  limits: { ...defaultLimits, enabled: true },
}).then(credentials);

test.each([
  // who, then fetch and push of a public repository, then of a private one
  ['classic, repo', 200, 200, 200, 200],
  ['classic, public_repo', 200, 200, 404, 404],
  ['classic, no scope', 200, 403, 404, 404],
  ['classic of the owner', 200, 200, 200, 200],
  ['classic of a reader', 200, 403, 200, 403],
  ['classic of a stranger', 200, 403, 404, 404],
  ['OAuth, repo', 200, 200, 200, 200],
  ['OAuth, gist', 200, 403, 404, 404],
  ['fine-grained, write', 200, 200, 200, 200],
  ['fine-grained, read', 200, 403, 200, 403],
  ['fine-grained, issues', 200, 403, 403, 403],
  ['fine-grained, another repository', 200, 403, 404, 404],
  ['fine-grained, of a stranger', 200, 403, 404, 404],
  ['installation, read', 200, 403, 200, 403],
  ['installation, write', 200, 200, 200, 200],
  ['app for a writer', 200, 200, 200, 200],
  ['app for a stranger', 200, 403, 404, 404],
  ['app that reads, for the owner', 200, 403, 200, 403],
])('%s: public %i and %i, private %i and %i', async (who, ...expected) => {
  const { here, repos, tokens } = await made;
  const [open, secret] = [
    await statuses(addressOf(here, repos.public), basic('anything', tokens[who] ?? '')),
    await statuses(addressOf(here, repos.private), `Bearer ${tokens[who]}`),
  ];
  expect([open.fetch, open.push, secret.fetch, secret.push]).toEqual(expected);
});

test('nobody fetches what is public, and is asked for a credential for everything else, whether or not it exists', async () => {
  const { here, repos } = await made;
  const { owner } = repos.public;
  expect(await statuses(addressOf(here, repos.public))).toEqual({ fetch: 200, push: 401 });
  expect(await statuses(addressOf(here, repos.private))).toEqual({ fetch: 401, push: 401 });
  for (const name of ['absent', '%00', 'a%2Fb', 'x'.repeat(300)])
    expect(await statuses(addressOf(here, { owner, name }))).toEqual({ fetch: 401, push: 401 });
});

test('what is absent and what is hidden are answered alike', async () => {
  const { here, repos, tokens } = await made;
  const headers = { authorization: basic('x', tokens['classic of a stranger'] ?? '') };
  const ask = async (name: string) => {
    const answer = await fetch(`${addressOf(here, { owner: repos.private.owner, name })}/info/refs?service=git-upload-pack`, {
      headers,
    });
    return { status: answer.status, text: await answer.text() };
  };
  expect(await ask(repos.private.name)).toEqual(await ask('absent'));
  expect(await ask(repos.private.name)).toEqual({ status: 404, text: 'Not Found\n' });
  expect((await ask('%00')).status).toBe(404);
});

test('a token serves as password or as user name, and one that is wrong, expired or revoked never serves', async () => {
  const { here, repos, tokens } = await made;
  const token = tokens['classic, repo'] ?? '';
  const fetched = async (authorization: string, repo: Owned = repos.private) =>
    (await statuses(addressOf(here, repo), authorization)).fetch;
  for (const good of [basic('x-access-token', token), basic(token, ''), basic(token, 'x-oauth-basic'), `token ${token}`])
    expect(await fetched(good)).toBe(200);
  const wrong = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
  for (const bad of [basic('x', wrong), basic('ada', 'password'), `Bearer ${wrong}`, 'Basic !', 'Digest x', basic('', '')])
    expect(await fetched(bad, repos.public)).toBe(401);

  const { id, account_id } = await here.db
    .selectFrom('tokens')
    .select(['id', 'account_id'])
    .where('last_eight', '=', token.slice(-8))
    .executeTakeFirstOrThrow();
  const expire = (at: Date | null) => here.db.updateTable('tokens').set({ expires_at: at }).where('id', '=', id).execute();
  await expire(new Date(here.clock.now.getTime() - 1));
  expect(await fetched(`Bearer ${token}`)).toBe(401);
  await expire(null);
  const suspend = (at: Date | null) =>
    here.db.updateTable('accounts').set({ suspended_at: at }).where('id', '=', account_id).execute();
  await suspend(here.clock.now);
  expect(await fetched(`Bearer ${token}`, repos.public)).toBe(403);
  await suspend(null);
  expect(await fetched(`Bearer ${token}`)).toBe(200);
});

test('whoever may not push reads why, and nothing is changed', async () => {
  const { here, repos, tokens } = await made;
  const folder = await workTree();
  const push = (who: string) => complaint(folder, 'push', addressOf(here, repos.public, tokens[who]), 'main:refs/heads/sly');
  expect(await push('classic, no scope')).toContain(
    `remote: ${repos.public.owner.login}/${repos.public.name}: Token lacks a needed scope`,
  );
  expect(await push('classic of a reader')).toContain('Must have push access');
  expect(await push('fine-grained, read')).toContain('Resource not accessible by personal access token');
  expect(await push('installation, read')).toContain('Resource not accessible by integration');
  expect(await findRef(diskOf(here, repos.public), 'refs/heads/sly')).toBeUndefined();
  expect(await told(here, repos.public)).toEqual([]);
});

test('an archived repository is fetched and takes no push', async () => {
  const { here, repo, address } = await owned('private');
  const folder = await workTree();
  await git(folder, 'push', '-q', address, 'main');
  await here.db.updateTable('repositories').set({ archived: true }).where('id', '=', repo.id).execute();
  expect(await complaint(folder, 'push', address, 'main:next')).toContain('Repository was archived so is read-only.');
  const copy = await scratch();
  await git(copy, 'clone', '-q', address, '.');
  expect(await head(copy)).toBe(await head(folder));
});

test('names are found in any case, with and without .git', async () => {
  const { here, repo, token, address } = await owned();
  const folder = await workTree();
  await git(folder, 'push', '-q', address, 'main');
  const [scheme, host] = here.url.split('//');
  const loud = `${scheme}//x:${token}@${host}/${repo.owner.login.toUpperCase()}/${repo.name.toUpperCase()}`;
  for (const url of [loud, `${loud}.git`, `${loud}/`])
    expect(await git(folder, 'ls-remote', url, 'refs/heads/main')).toContain(await head(folder));
});

test('a former name leads to the repository for those who may see it', async () => {
  const { here, ada, repo, token, address } = await owned('private');
  const folder = await workTree();
  await git(folder, 'push', '-q', address, 'main');
  const name = fresh('renamed');
  await (await here.as(ada)).patch(`/repos/${ada.login}/${repo.name}`, { name });

  const copy = await scratch();
  await git(copy, 'clone', '-q', address, '.');
  await git(folder, 'push', '-q', address, 'main:next');

  expect(await head(copy)).toBe(await head(folder));
  expect(await findRef(diskOf(here, repo), 'refs/heads/next')).toMatchObject({ oid: await head(folder) });
  const answer = await fetch(`${addressOf(here, repo)}/info/refs?service=git-upload-pack`, {
    headers: { authorization: `Bearer ${token}` },
    redirect: 'manual',
  });
  expect(answer.status).toBe(301);
  expect(answer.headers.get('location')).toBe(`${here.url}/${ada.login}/${name}.git/info/refs?service=git-upload-pack`);
  expect((await statuses(addressOf(here, repo))).fetch).toBe(401);
  expect((await statuses(addressOf(here, repo), `Bearer ${await here.token(await here.user())}`)).fetch).toBe(404);
});

test('fetches and pushes don’t count against the rate limits, and no token comes into the log', async () => {
  const { here, ada, token, address } = await owned();
  const folder = await workTree();
  await git(folder, 'push', '-q', address, 'main');
  await git(folder, 'ls-remote', address);
  await statuses(address.replace(/[^/]*@/, ''), basic(token, ''));

  expect(await here.db.selectFrom('rate_limits').selectAll().where('key', '=', `account:${ada.id}`).execute()).toEqual([]);
  await (await here.as(token)).get('/user');
  expect(await here.db.selectFrom('rate_limits').select('used').where('key', '=', `account:${ada.id}`).execute()).toEqual([
    { used: 1 },
  ]);
  expect(logged.filter((line) => line.includes(`"actor":"${ada.login}"`)).length).toBeGreaterThan(3);
  expect(logged.filter((line) => line.includes(token.slice(4)) || line.includes(btoa(`:${token}`)))).toEqual([]);
});
