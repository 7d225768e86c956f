// Whatever a path names below an account or a repository: it is found there and nowhere else, and whoever may not know of it can't
// tell it from what isn't there. Derived from the resources of all endpoints and from their samples.
import { expect, test } from 'vitest';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { type AnyPathResource, resourcesOf, wordSchemasOf } from '#endpoint/path-resource.ts';
import { allEndpoints } from '#resources/all.ts';
import type { Answer, Client } from '#test/support/client.ts';
import { commitFiles } from '#test/support/commit.ts';
import { loadSamples, type SampleStage } from '#test/support/samples.ts';
import { world } from '#test/support/world.ts';
import { absentWord } from './callers.ts';
import { everyRow } from './rows.ts';

type Words = Readonly<Record<string, string>>;

const opened = await world();
const samples = await loadSamples();

const [ada, eve] = [await opened.user('ada', { site_admin: true }), await opened.user('eve')];

/** An organization with a private repository that has a history. */
async function makeStage(name: string, owner = ada): Promise<SampleStage> {
  const org = await opened.org(owner, name);
  const repo = await opened.repo(org, { name: 'secret', visibility: 'private', by: owner });
  await commitFiles(opened, repo, { [`${name}.txt`]: name });
  return { ...opened, client: await opened.as(owner), owner, org, repo };
}

const here = await makeStage('acme');
/** Another organization of the same owner, and one of somebody else. */
const [elsewhere, others] = [await makeStage('umbrella'), await makeStage('initech', eve)];
const stranger = await opened.as(await opened.user('mallory'));

const rootsOf = ({ org, repo }: SampleStage): Words => ({
  org: org.login,
  owner: org.login,
  repo: repo.name,
  template_owner: org.login,
  template_repo: repo.name,
  username: 'carl',
});

const fill = (path: string, words: Words): string => path.replace(/\{(\w+)\}/g, (brace, word: string) => words[word] ?? brace);

/** The address of what a resource of a path lies below, with the words that are known. */
function baseOf(path: string, { below }: AnyPathResource, words: Words): string {
  const last = { org: '{org}', repo: '{repo}', template: '{template_repo}', user: '{username}' } as const;
  const lastWord = typeof below === 'object' ? `{${Object.keys(below.words).at(-1)}}` : below ? last[below as keyof typeof last] : undefined;
  return lastWord === undefined ? '' : fill(path.slice(0, path.indexOf(lastWord) + lastWord.length), words);
}

/** The words of everything that an endpoint's path names, made anew on a stage. */
async function makeAll(stage: SampleStage, endpoint: Endpoint): Promise<Words> {
  let words = rootsOf(stage);
  for (const resource of resourcesOf(endpoint)) {
    const sample = samples.get(resource);
    if (!sample) throw new Error(`${resource.name} of ${endpoint.path} has no sample`);
    words = { ...words, ...(await sample(stage, baseOf(endpoint.path, resource, words))) };
  }
  return words;
}

const calls = (client: Client, method: Endpoint['method'], path: string, body: object | undefined): Promise<Answer> =>
  ({
    GET: () => client.get(path),
    POST: () => client.post(path, body),
    PUT: () => client.put(path, body),
    PATCH: () => client.patch(path, body),
    DELETE: () => client.delete(path, body),
  })[method]();

/** All that an answer tells, but for what is another each time, and for the words of its path. */
function toldBy({ status, headers, text }: Answer, words: readonly string[]): object {
  const { date: _date, 'x-service-request-id': _request, 'x-ratelimit-remaining': _left, 'x-ratelimit-used': _used, ...rest } = headers;
  return { status, headers: { ...rest, 'content-length': '' }, text: words.reduce((told, word) => told.replaceAll(word, 'WORD'), text) };
}

/** The endpoint that deletes a resource. */
const removalOf = (resource: AnyPathResource): Endpoint | undefined =>
  allEndpoints.find(
    (endpoint) =>
      endpoint.method === 'DELETE' &&
      resourcesOf(endpoint).at(-1) === resource &&
      endpoint.path.endsWith(`{${Object.keys(resource.words).at(-1)}}`),
  );

const below = allEndpoints.filter((endpoint) => resourcesOf(endpoint).length > 0);

test('every resource of a path has a sample', () => {
  const missing = below.flatMap((endpoint) => resourcesOf(endpoint)).filter((resource) => !samples.has(resource));
  expect([...new Set(missing.map(({ name, words }) => `${name} {${Object.keys(words).join('}, {')}}`))]).toEqual([]);
});

test.each(below.map((endpoint) => ({ ...endpoint, route: `${endpoint.method} ${endpoint.path}` })))(
  '$route finds its own alone',
  async (endpoint) => {
    const { method, path } = endpoint;
    const body = endpoint.body ? ((endpoint.example as object | undefined) ?? {}) : undefined;
    const innermost = resourcesOf(endpoint).at(-1);
    const ofCaller = resourcesOf(endpoint)[0]?.below === undefined;
    const own = await makeAll(here, endpoint);
    const ask = (client: Client, words: Words) => calls(client, method, fill(path, words), body);
    if (method === 'GET') expect((await ask(here.client, own)).status).toBeLessThan(400);

    const named = Object.keys(innermost?.words ?? {});
    const schemas = wordSchemasOf(endpoint);
    const absent = { ...own, ...Object.fromEntries(named.map((word) => [word, absentWord(schemas.get(word) ?? {})])) };
    let foreign = await makeAll(ofCaller ? others : elsewhere, endpoint);
    // Numbers count from 1 everywhere: this one isn't counted to here.
    for (let tries = 0; tries < 5 && named.every((word) => foreign[word] === own[word]); tries++)
      foreign = await makeAll(ofCaller ? others : elsewhere, endpoint);
    expect(named.some((word) => foreign[word] !== own[word])).toBe(true);
    const moved = { ...own, ...Object.fromEntries(named.map((word) => [word, foreign[word] ?? ''])) };

    const before = await everyRow(opened.db);
    const words = named.flatMap((word) => [own[word] ?? '', absent[word] ?? '', moved[word] ?? '']).filter((word) => word.length > 3);
    const [missing, wrong] = [await ask(here.client, absent), await ask(here.client, moved)];
    expect(missing.status).toBeGreaterThanOrEqual(400);
    expect(toldBy(wrong, words)).toEqual(toldBy(missing, words));
    if (!ofCaller) {
      const [hidden, none] = [await ask(stranger, own), await ask(stranger, absent)];
      expect(hidden.status).toBeGreaterThanOrEqual(400);
      expect(toldBy(hidden, words)).toEqual(toldBy(none, words));
    }
    expect(await everyRow(opened.db)).toBe(before);

    const removal = innermost && removalOf(innermost);
    if (!removal) return;
    const deleted = await makeAll(here, removal);
    expect((await calls(here.client, 'DELETE', fill(removal.path, deleted), undefined)).status).toBeLessThan(300);
    const ofDeleted = { ...own, ...Object.fromEntries(named.map((word) => [word, deleted[word] ?? ''])) };
    const known = [...words, ...named.map((word) => deleted[word] ?? '')].filter((word) => word.length > 3);
    expect(toldBy(await ask(here.client, ofDeleted), known)).toEqual(toldBy(missing, known));
  },
);
