import { expect, test } from 'vitest';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { allEndpoints } from '#resources/all.ts';
import { routesOf } from '#server/routes.ts';
import { history } from '#test/resources/code/commits/setting.ts';
import { published } from '#test/support/published.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const owner = await w.user();
const client = await w.as(owner);
const { path, oids } = await history(w, owner, 1);

const oddNames = [
  'kind/x',
  'a/b/c',
  '/a',
  'a/',
  'a//b',
  'a%2Fb',
  '100%',
  'a b',
  'a+b',
  'a?b=c',
  'a#b',
  'ü/ß',
  'main/status',
  'labels',
];

test.each(oddNames)('a label named %s is found, changed, and removed at the address that it names as its url', async (name) => {
  const made = await client.post(`${path}/labels`, { name });
  expect(made.status).toBe(201);
  const place = made.body.url.slice(made.body.url.indexOf('/repos/'));
  for (const address of [place, `${path}/labels/${encodeURIComponent(name)}`])
    expect(await client.get(address)).toMatchObject({ status: 200, body: { name } });
  const issue = (await client.post(`${path}/issues`, { title: 'It leaks', labels: [name] })).body.number;
  expect((await client.delete(place.replace('/labels/', `/issues/${issue}/labels/`))).body).toEqual([]);
  expect((await client.patch(place, { color: 'ffffff' })).body).toMatchObject({ name, color: 'ffffff' });
  expect((await client.delete(place)).status).toBe(204);
});

test('a branch with a slash is found by all that takes a name or a revision at the end of its path', async () => {
  await client.post(`${path}/git/refs`, { ref: 'refs/heads/feature/x', sha: oids[0] });
  for (const rest of ['branches/', 'commits/', 'git/ref/heads/', 'git/refs/heads/', 'git/trees/', 'compare/main...'])
    for (const name of ['feature/x', 'feature%2Fx'])
      expect([rest, (await client.get(`${path}/${rest}${name}`)).status]).toEqual([rest, 200]);
});

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The wildcards of the server, as patterns for paths of the public description that lie below them. */
const greedy = routesOf(allEndpoints).flatMap(({ endpoint, pattern }) =>
  pattern.endsWith('/*') && endpoint
    ? [new RegExp(`^${pattern.replace(/:\w+/g, '\\{\\w+\\}').replace('*', '\\{\\w+\\}')}/`)]
    : [],
);
const shapeOf = (text: string): string => text.replace(/\{\w+\}/g, '{}');
const below = Object.keys(published.paths).filter((route) => greedy.some((pattern) => pattern.test(route)));
const isBuilt = (method: string, route: string): boolean =>
  allEndpoints.some((endpoint: Endpoint) => endpoint.method === method && shapeOf(endpoint.path) === shapeOf(route));

test('every path of the public API below a word with slashes is an endpoint here', () => {
  expect(below.length).toBeGreaterThan(15);
  const swallowed = below.filter((route) => !methods.some((method) => isBuilt(method, route)));
  expect(swallowed).toEqual([]);
});

test.each(below)('%s: what is no operation here is a plain 404', async (route) => {
  const address = route.replace('/repos/{owner}/{repo}', path).replace(/\{(?:branch|ref|commit_sha)\}/, 'main');
  // What is changed by PATCH is changed by POST too.
  const isKnown = (one: string) => isBuilt(one, route) || (one === 'POST' && isBuilt('PATCH', route));
  for (const method of methods.filter((one) => !isKnown(one))) {
    const reply = await fetch(`${w.url}/api/v3${address.replace(/\{\w+\}/g, 'x')}`, {
      method,
      headers: { authorization: `Bearer ${await w.token(owner)}` },
    });
    expect([method, reply.status, ((await reply.json()) as { message: string }).message]).toEqual([method, 404, 'Not Found']);
  }
});

const routes = routesOf(allEndpoints);
const addressOf = ({ pattern }: { pattern: string }): string => pattern.replace(/:\w+/g, ':');

test('whatever is changed by PATCH is changed by POST too, unless POST means something else there', () => {
  const patched = routes.filter(({ method, endpoint }) => method === 'PATCH' && endpoint);
  expect(patched.length).toBeGreaterThan(20);
  const answering = patched.map((route) => {
    const posted = routes.filter((other) => other.method === 'POST' && addressOf(other) === addressOf(route));
    return [route.pattern, posted.map(({ endpoint }) => endpoint?.method === 'POST' || endpoint === route.endpoint)];
  });
  expect(answering).toEqual(patched.map(({ pattern }) => [pattern, [true]]));
});

test('a comment, a label and a ref are changed by POST, by the rules of PATCH', async () => {
  const { number } = (await client.post(`${path}/issues`, { title: 'It leaks' })).body;
  const { id } = (await client.post(`${path}/issues/${number}/comments`, { body: 'Yes' })).body;
  await client.post(`${path}/labels`, { name: 'kind/posted' });
  await client.post(`${path}/git/refs`, { ref: 'refs/heads/posted', sha: oids[0] });
  const token = await w.token(owner);
  const post = async (place: string, body: object, credential = token) => {
    const headers = { authorization: `Bearer ${credential}` };
    const reply = await fetch(`${w.url}/api/v3${path}${place}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: reply.status, body: await reply.json() };
  };
  expect(await post(`/issues/comments/${id}`, { body: 'No' })).toMatchObject({ status: 200, body: { body: 'No' } });
  expect(await post('/labels/kind/posted', { color: 'ffffff' })).toMatchObject({ status: 200, body: { color: 'ffffff' } });
  expect(await post('/git/refs/heads/posted', { sha: oids[0] })).toMatchObject({
    status: 200,
    body: { ref: 'refs/heads/posted' },
  });
  expect((await post(`/issues/comments/${id}`, {})).status).toBe(422);
  const reader = await w.token(await w.user());
  expect((await post(`/issues/comments/${id}`, { body: 'Mine' }, reader)).status).toBe(403);
  expect((await post('/issues/comments/999999', { body: 'x' })).status).toBe(404);
});
