import { expect, test } from 'vitest';
import { positionsOf } from '#endpoint/paging.ts';
import { wordSchemasOf } from '#endpoint/path-resource.ts';
import { rootWords } from '#endpoint/path-words.ts';
import { allEndpoints } from '#resources/all.ts';
import { world } from '#test/support/world.ts';
import { makeStage, samplePath } from './callers.ts';
import { documented } from './matrix.ts';

/** Document 2, Errors: malformed requests for the list and the deletion of registries, and for webhook deliveries, get 400. */

const opened = await world();
const { owner } = await makeStage(opened);
const client = await opened.as(owner);

const told = documented.filter(({ other = [] }) => other.includes(400));
const endpoints = told.map(({ method, path }) => allEndpoints.find((one) => one.method === method && one.path === path));

test('the document names five such operations, and each is there', () => {
  expect(endpoints.map((endpoint) => endpoint?.id).toSorted()).toEqual([
    'orgs/get-webhook-delivery',
    'orgs/list-webhook-deliveries',
    'orgs/redeliver-webhook-delivery',
    'private-registries/delete-org-private-registry',
    'private-registries/list-org-private-registries',
  ]);
});

const wrongPaths = endpoints.flatMap((endpoint) =>
  endpoint
    ? [...wordSchemasOf(endpoint).keys()]
        .filter((word) => !Object.hasOwn(rootWords, word))
        .flatMap((word) =>
          ['abc%20d', '1%2F2', '%00'].map((text) => [endpoint.method, samplePath(endpoint.path, { [word]: text })]),
        )
    : [],
);
const wrongPages = endpoints.flatMap((endpoint) => {
  if (!endpoint?.paging) return [];
  const names = ['per_page', ...positionsOf[endpoint.paging.style]];
  const queries = names.flatMap((name) => ['abc', '1.5', '', '1x'].map((value) => `${name}=${value}`));
  return [...queries, ...names.map((name) => `${name}=1&${name}=2`)].map((query) => `${samplePath(endpoint.path)}?${query}`);
});

test.each(wrongPaths)('%s %s is malformed', async (method = '', path = '') => {
  const reply = method === 'GET' ? client.get(path) : method === 'DELETE' ? client.delete(path) : client.post(path);
  expect((await reply).status).toBe(400);
});

test('a malformed page is refused', async () => {
  const { id } = (await client.post('/orgs/acme/hooks', { name: 'web', config: { url: 'http://127.0.0.1:1' } })).body;
  expect(wrongPages.length).toBeGreaterThan(10);
  for (const path of wrongPages)
    expect([path, (await client.get(path.replace('/999999999/', `/${id}/`))).status]).toEqual([path, 400]);
});

test('who may not ask is told that first', async () => {
  const stranger = await opened.as(await opened.user());
  for (const [method, path = ''] of wrongPaths) if (method === 'GET') expect((await stranger.get(path)).status).toBe(404);
});
