// Addresses that clients build themselves, or know from elsewhere, as they write them: hub4j, go-github, PyGithub, octokit.rb.
import { expect, test } from 'vitest';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });
const ada = await w.user('ada');
const bob = await w.user('bob');
const acme = await w.org(ada, 'acme');
await w.member(acme, bob);
const engine = await w.repo(acme, { name: 'engine', visibility: 'private', by: ada });
const head = await commitFiles(w, engine, { 'a.txt': 'a' });
const [token, strangers] = [await w.token(ada), await w.token(await w.user('eve'))];

type Sent = { body?: string; type?: string; credential?: string };

/** A request to an address of the server, as another library writes it. */
async function send(method: string, address: string, { body, type = 'application/json', credential = token }: Sent = {}) {
  const headers = { authorization: `Bearer ${credential}`, ...(body === undefined ? {} : { 'content-type': type }) };
  const reply = await fetch(w.url + address, { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) });
  const text = await reply.text();
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies by name
  return { status: reply.status, headers: reply.headers, body: text === '' ? undefined : (JSON.parse(text) as any) };
}

test('statuses are listed at the address that every `statuses_url` names', async () => {
  const wanted = JSON.stringify({ state: 'success', context: 'tests' });
  expect((await send('POST', `/api/v3/repos/acme/engine/statuses/${head}`, { body: wanted })).status).toBe(201);
  const { body } = await send('GET', '/api/v3/repos/acme/engine');
  const address = body.statuses_url.replace('{sha}', head).slice(w.url.length);
  const listed = await send('GET', `${address}?per_page=1`);
  expect(listed).toMatchObject({ status: 200, body: [{ state: 'success', context: 'tests', creator: { login: 'ada' } }] });
  expect(listed.body).toEqual((await send('GET', `/api/v3/repos/acme/engine/commits/${head}/statuses`)).body);
  expect((await send('GET', '/api/v3/repos/acme/engine/statuses/heads/main')).body).toEqual(listed.body);
  expect((await send('GET', '/api/v3/repos/acme/engine/statuses/none')).status).toBe(404);
  expect((await send('GET', address, { credential: strangers })).status).toBe(404);
  expect(listed.headers.get('x-accepted-oauth-scopes')).toContain('repo:status');
});

test('a file is uploaded to a release at `/api/uploads`, as go-github builds the address', async () => {
  const release = (await send('POST', '/api/v3/repos/acme/engine/releases', { body: '{"tag_name":"v1"}' })).body.id;
  const address = `/api/uploads/repos/acme/engine/releases/${release}/assets?name=a.txt&label=A`;
  const made = await send('POST', address, { body: 'alpha', type: 'text/plain' });
  expect(made).toMatchObject({ status: 201, body: { name: 'a.txt', label: 'A', size: 5, content_type: 'text/plain' } });
  expect(made.headers.get('location')).toBe(made.body.url);
  expect(await send('GET', made.body.url.slice(w.url.length))).toMatchObject({ status: 200, body: { name: 'a.txt' } });
  expect((await send('POST', address, { body: 'alpha', type: 'text/plain', credential: strangers })).status).toBe(404);
  // Nothing else is there.
  for (const [method, other] of [
    ['GET', address],
    ['POST', '/api/uploads/repos/acme/engine/issues'],
    ['GET', '/api/uploads/user'],
  ] as const)
    expect((await send(method, other, method === 'POST' ? { body: '{"title":"x"}' } : {})).status).toBe(404);
});

test('teams are read and changed by the numbers of organization and team, as hub4j does', async () => {
  const made = await send('POST', '/api/v3/orgs/acme/teams', { body: '{"name":"Core","privacy":"closed"}' });
  const base = `/api/v3/organizations/${acme.id}/team/${made.body.id}`;
  expect((await send('GET', base)).body).toEqual((await send('GET', '/api/v3/orgs/acme/teams/core')).body);
  expect((await send('PUT', `${base}/memberships/bob`, { body: '{"role":"member"}' })).body).toMatchObject({ role: 'member' });
  expect((await send('PUT', `${base}/repos/acme/engine`, { body: '{"permission":"push"}' })).status).toBe(204);
  expect((await send('GET', `${base}/repos/acme/engine`)).status).toBe(204);
  const members = await send('GET', `${base}/members?per_page=1`);
  expect(members.body.map(({ login }: { login: string }) => login)).toEqual(['ada']);
  const next = /<([^>]*)>; rel="next"/.exec(members.headers.get('link') ?? '')?.[1] ?? '';
  expect((await send('GET', next.slice(w.url.length))).body).toMatchObject([{ login: 'bob' }]);
  expect((await send('PATCH', base, { body: '{"description":"All of us"}' })).body).toMatchObject({ description: 'All of us' });
  expect((await send('GET', base, { credential: strangers })).status).toBe(404);
  expect((await send('GET', `/api/v3/organizations/${ada.id}/team/${made.body.id}`)).status).toBe(404);
  expect((await send('DELETE', `${base}/memberships/bob`)).status).toBe(204);
  expect((await send('DELETE', base)).status).toBe(204);
  expect((await send('GET', '/api/v3/orgs/acme/teams/core')).status).toBe(404);
});

test('a team of another organization is found by no pair of numbers', async () => {
  const other = await w.org(ada, 'umbrella');
  const made = await send('POST', '/api/v3/orgs/umbrella/teams', { body: '{"name":"Lab"}' });
  expect((await send('GET', `/api/v3/organizations/${other.id}/team/${made.body.id}`)).status).toBe(200);
  expect((await send('GET', `/api/v3/organizations/${acme.id}/team/${made.body.id}`)).status).toBe(404);
});

test('repositories, organizations and people are found by their numbers, as pagination links name them', async () => {
  const issue = await send('POST', `/api/v3/repositories/${engine.id}/issues`, { body: '{"title":"It leaks"}' });
  expect(issue).toMatchObject({ status: 201, body: { number: 1, title: 'It leaks' } });
  expect((await send('GET', `/api/v3/repositories/${engine.id}/issues/1`)).body).toEqual(
    (await send('GET', '/api/v3/repos/acme/engine/issues/1')).body,
  );
  expect((await send('GET', `/api/v3/repositories/${engine.id}/contents/a.txt`)).body).toMatchObject({ path: 'a.txt' });
  expect((await send('GET', `/api/v3/organizations/${acme.id}`)).body).toMatchObject({ login: 'acme' });
  expect((await send('GET', `/api/v3/user/${bob.id}/orgs`)).status).toBe(200);
  for (const path of [`organizations/${acme.id}/repos`, `repositories/${engine.id}/labels`, 'repositories/99999999/labels'])
    expect((await send('GET', `/api/v3/${path}`, { credential: strangers })).status).toBe(path.endsWith('repos') ? 200 : 404);
  expect((await send('PATCH', `/api/v3/repositories/${engine.id}`, { body: '{"description":"Fast"}' })).status).toBe(200);
});

test('a number that no id can be is answered 404', async () => {
  for (const id of ['0', '9'.repeat(15), '9'.repeat(20)])
    for (const path of [
      `repositories/${id}/hooks/1/deliveries`,
      `repositories/${id}/issues`,
      `organizations/${id}/hooks/1/deliveries`,
      `organizations/${id}/team/${id}/members`,
      `user/${id}/repos`,
    ])
      expect([path, (await send('GET', `/api/v3/${path}`)).status]).toEqual([path, 404]);
});

test('a repository is made from a template by its number', async () => {
  const template = await w.repo(acme, { name: 'frame', visibility: 'private', by: ada });
  await commitFiles(w, template, { 'a.txt': 'a' });
  await send('PATCH', `/api/v3/repositories/${template.id}`, { body: '{"is_template":true}' });
  const body = '{"owner":"acme","name":"framed"}';
  expect(await send('POST', `/api/v3/repositories/${template.id}/generate`, { body })).toMatchObject({
    status: 201,
    body: { full_name: 'acme/framed', template_repository: { full_name: 'acme/frame' } },
  });
});

test('a repository that was renamed leads on from below a team by numbers', async () => {
  const { body: team } = await send('POST', '/api/v3/orgs/acme/teams', {
    body: '{"name":"Movers","repo_names":["acme/engine"]}',
  });
  await send('PATCH', '/api/v3/repos/acme/engine', { body: '{"name":"motor"}' });
  const moved = await send('GET', `/api/v3/organizations/${acme.id}/team/${team.id}/repos/acme/engine`);
  expect(moved.status).toBe(301);
  expect(moved.headers.get('location')).toBe(`${w.url}/api/v3/organizations/${acme.id}/team/${team.id}/repos/acme/motor`);
});
