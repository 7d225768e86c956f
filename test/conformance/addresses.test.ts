// Every API address in a reply is a valid API address, and addresses with ids return the same as addresses with names. Derived
// from the declarations and the samples of all families.
import { expect, test } from 'vitest';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { resourcesOf } from '#endpoint/path-resource.ts';
import { allEndpoints } from '#resources/all.ts';
import { apiPrefix, routerOf } from '#server/router.ts';
import type { Answer, Client } from '#test/support/client.ts';
import { world } from '#test/support/world.ts';
import { callers, fill, makeOnce, samples } from './children.ts';
import { makeSampleStage } from './sample-stage.ts';

const opened = await world();
const stage = await makeSampleStage(opened, await opened.user('ada', { site_admin: true }));
const [stranger, nobody] = [await opened.as(await opened.user('mallory')), await opened.as(undefined)];
const api = `${opened.url}${apiPrefix}`;
const find = routerOf(allEndpoints);

const hasSample = (endpoint: Endpoint): boolean =>
  resourcesOf(endpoint).every((resource) => samples.has(resource) || Object.keys(resource.words).length === 0);
const readable = allEndpoints
  .filter((endpoint) => endpoint.method === 'GET' && hasSample(endpoint))
  .map((endpoint) => ({ ...endpoint, route: endpoint.path }));

async function sampleOf(endpoint: Endpoint): Promise<{ client: Client; path: string; words: Readonly<Record<string, string>> }> {
  const words = { basehead: 'main...main', ref: 'main', path: 'here.txt', ...(await makeOnce(stage, endpoint)) };
  const makers = resourcesOf(endpoint).flatMap((resource) => callers.get(resource) ?? []);
  return { client: (await makers[0]?.(stage)) ?? stage.client, path: fill(endpoint.path, words), words };
}

/** The fields of a reply whose value is an API address, at every depth. */
function* addressesIn(value: unknown, field = ''): Generator<[field: string, address: string]> {
  if (typeof value === 'string' && (field === 'url' || field.endsWith('_url')) && value.startsWith(api)) yield [field, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) yield* addressesIn(inner, Array.isArray(value) ? field : name);
}

/** The addresses that a template expands to, with and without its optional parts. */
function expanded(template: string): string[] {
  const path = template
    .slice(api.length)
    .replace(/\{[?&][^}]*\}/g, '')
    .replace('{archive_format}', 'tarball')
    .replace(/\{\+?\w+\}/g, '1');
  return [path.replace(/\{\/\w+\}/g, ''), path.replace(/\{\/\w+\}/g, '/1')];
}

/** These support only POST, here and in the public API. */
const posted = new Set(['merges_url', 'upload_url', 'rerun_url', 'cancel_url', 'access_tokens_url', 'ping_url', 'test_url']);

/** Addresses that the public schema requires, of families that don't exist in Hearth. */
const unbuilt: Readonly<Record<string, readonly string[]>> = {
  'following people': ['followers_url', 'following_url'],
  'activity events and feeds': ['events_url', 'received_events_url', 'feeds_url', 'hub_url'],
  gists: ['gists_url', 'public_gists_url', 'starred_gists_url'],
  'downloads, which the public API no longer has': ['downloads_url'],
  'search of labels and topics': ['label_search_url', 'topic_search_url'],
  'authorizations, which the public API no longer has': ['authorizations_url'],
};
const unbuiltFields = new Set(Object.values(unbuilt).flat());

const met = new Set<string>();

test.each(readable)('every address in the reply of $route exists', async (endpoint) => {
  const { client, path } = await sampleOf(endpoint);
  const { body } = await client.get(path);
  const missing = [...addressesIn(body)].filter(([field, address]) => {
    const method = posted.has(field) ? 'POST' : 'GET';
    const isKnown = expanded(address).some((one) => find(method, apiPrefix + one));
    if (!isKnown) met.add(field);
    return !isKnown && !unbuiltFields.has(field);
  });
  expect(missing).toEqual([]);
});

test('every exception among the addresses is still needed', () => {
  expect([...unbuiltFields].filter((field) => !met.has(field))).toEqual([]);
});

/** The content of a reply, without values that change each time. */
const contentOf = ({ status, headers, body, text }: Answer): object => {
  const { date: _date, link = '', ...rest } = headers;
  const volatile = /^x-service-request-id$|^x-ratelimit|^content-length$|^etag$|^location$/;
  return {
    status,
    headers: Object.fromEntries(Object.entries(rest).filter(([name]) => !volatile.test(name))),
    rels: [...link.matchAll(/rel="(\w+)"/g)].map(([, rel]) => rel),
    body: body ?? text.length,
  };
};

/** The path with ids, for a path with names. */
async function numberedPath(path: string): Promise<string | undefined> {
  const { org, repo } = stage;
  const [, slug] = /^\/orgs\/acme\/teams\/([^/]+)/.exec(path) ?? [];
  if (slug !== undefined) {
    const { id } = (await stage.client.get(`/orgs/acme/teams/${slug}`)).body;
    return path.replace(/^\/orgs\/acme\/teams\/[^/]+/, `/organizations/${org.id}/team/${id}`);
  }
  const carl = (await stage.client.get('/users/carl')).body;
  const numbered = path
    .replace(/^\/orgs\/acme(?=\/|$)/, `/organizations/${org.id}`)
    .replace(/^\/repos\/acme\/secret(?=\/|$)/, `/repositories/${repo.id}`)
    .replace(/^\/users\/carl(?=\/|$)/, `/user/${carl.id}`);
  return numbered === path ? undefined : numbered;
}

const rooted = readable.filter(({ path }) => /^\/(orgs\/\{org\}|repos\/\{owner\}|users\/\{username\})/.test(path));

test.each(rooted)('$route answers by numbers as by names, to everybody', async (endpoint) => {
  const { client, path } = await sampleOf(endpoint);
  const numbered = (await numberedPath(path)) ?? '';
  expect(numbered).toMatch(/^\/(organizations|repositories|user)\/\d/);
  for (const caller of [client, stranger, nobody])
    expect(contentOf(await caller.get(numbered))).toEqual(contentOf(await caller.get(path)));
});

/** Declared as operations of their own. */
const declaredById = new Set(['users/get-by-username', 'repos/get']);

const numberedRoots = /^\/(orgs\/\{org\}|repos\/\{(template_)?owner\}\/\{(template_)?repo\}|users\/\{username\})/;

test('every endpoint below an account or a repository has an address by numbers', () => {
  const without = allEndpoints.flatMap((endpoint) => {
    if (!numberedRoots.test(endpoint.path)) return [];
    const path = endpoint.path
      .replace(/^\/orgs\/\{org\}\/teams\/\{team_slug\}/, '/organizations/7/team/8')
      .replace(/^\/orgs\/\{org\}/, '/organizations/7')
      .replace(/^\/repos\/\{\w+\}\/\{\w+\}/, '/repositories/7')
      .replace(/^\/users\/\{username\}/, '/user/7')
      .replace(/\{\w+\}/g, '9');
    const found = find(endpoint.method, apiPrefix + path);
    return found?.endpoint.id === endpoint.id || declaredById.has(endpoint.id) ? [] : [path];
  });
  expect(without).toEqual([]);
});
