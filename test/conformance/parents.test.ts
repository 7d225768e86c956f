// Every resource in a path is found only below its own account or repository, and a caller who may not see it can't distinguish
// it from a missing one. Derived from the resources of all endpoints and from their samples.
import { expect, test } from 'vitest';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { type AnyPathResource, resourcesOf, wordSchemasOf } from '#endpoint/path-resource.ts';
import { idRootOf } from '#endpoint/path-words.ts';
import { allEndpoints } from '#resources/all.ts';
import type { Answer, Client } from '#test/support/client.ts';
import { commitFiles } from '#test/support/commit.ts';
import type { SampleStage } from '#test/support/samples.ts';
import { world } from '#test/support/world.ts';
import { absentWord } from './callers.ts';
import { callers, fill, makeAll, makeOnce, samples, type Words } from './children.ts';
import { noteChanges } from './rows.ts';

const opened = await world();

const [ada, eve] = [await opened.user('ada', { site_admin: true }), await opened.user('eve')];

/** An organization with a private repository that has a history. */
async function makeStage(name: string, place: SampleStage['place'], owner = ada): Promise<SampleStage> {
  const org = await opened.org(owner, name);
  const repo = await opened.repo(org, { name: 'secret', visibility: 'private', by: owner });
  await opened.member(org, carl);
  await commitFiles(opened, repo, { [`${name}.txt`]: name });
  return { ...opened, world: opened, place, client: await opened.as(owner), owner, org, repo };
}

const carl = await opened.user('carl');
const here = await makeStage('acme', 'here');
/**
 * Another organization of the same owner, and one of another owner. Their issues and milestones have numbers that don't exist
 * here.
 */
const [elsewhere, others] = [await makeStage('umbrella', 'elsewhere'), await makeStage('initech', 'elsewhere', eve)];
for (const { org, repo, client } of [elsewhere, others]) {
  await opened.db.updateTable('repositories').set({ next_issue_number: 1_001 }).where('id', '=', repo.id).execute();
  await client.post(`/repos/${org.login}/${repo.name}/milestones`, { title: 'first' });
  await opened.db.updateTable('milestones').set({ number: 1_000 }).where('repository_id', '=', repo.id).execute();
}
const stranger = await opened.as(await opened.user('mallory'));

/** Words with a specific form that name nothing. */
const nowhere: Words = { version: '9.9.9' };

/** The caller for an endpoint's resources, if it isn't the owner. */
async function callerOf(stage: SampleStage, endpoint: Endpoint): Promise<Client | undefined> {
  const makers = resourcesOf(endpoint).flatMap((resource) => callers.get(resource) ?? []);
  return makers[0]?.(stage);
}

const calls = (client: Client, method: Endpoint['method'], path: string, body: object | undefined): Promise<Answer> =>
  ({
    GET: () => client.get(path),
    POST: () => client.post(path, body),
    PUT: () => client.put(path, body),
    PATCH: () => client.patch(path, body),
    DELETE: () => client.delete(path, body),
  })[method]();

/** The content of a reply, without values that change each time and without the words of its path. */
function toldBy({ status, headers, text }: Answer, words: readonly string[]): object {
  const {
    date: _date,
    'x-service-request-id': _request,
    'x-ratelimit-remaining': _left,
    'x-ratelimit-used': _used,
    ...rest
  } = headers;
  return {
    status,
    headers: { ...rest, 'content-length': '' },
    text: words.reduce((told, word) => told.replaceAll(word, 'WORD'), text),
  };
}

/** DELETE marks an inbox thread as done. It still exists and returns with new activity (document 2, States). */
const stays = new Set(['thread']);

/** The endpoint that deletes a resource. */
function removalOf(resource: AnyPathResource | undefined): Endpoint | undefined {
  if (!resource || stays.has(resource.name)) return undefined;
  const last = `{${Object.keys(resource.words).at(-1)}}`;
  const own = below.filter((endpoint) => resourcesOf(endpoint).at(-1) === resource && endpoint.path.endsWith(last));
  const [{ path } = { path: '' }] = own.toSorted((a, b) => a.path.length - b.path.length);
  const has = (method: string, address: string) =>
    allEndpoints.some((other) => other.method === method && other.path === address);
  // For other paths, DELETE removes a part of the resource, such as its roles.
  const isItsOwn = has('GET', path) || has('PATCH', path) || has('POST', path.slice(0, -`/${last}`.length));
  return isItsOwn ? own.find((endpoint) => endpoint.method === 'DELETE' && endpoint.path === path) : undefined;
}

const wordsOfAll = (resources: readonly AnyPathResource[]): string[] => resources.flatMap(({ words }) => Object.keys(words));

/**
 * Resources without a parent that are the same for every caller: licenses, templates, advisories, accounts, and secret codes and
 * keys, which grant access themselves.
 */
const isForEverybody = (resources: readonly AnyPathResource[]): boolean =>
  resources.every(({ name }) =>
    [
      'license',
      'gitignoreTemplate',
      'globalAdvisory',
      'account',
      'manifestCode',
      'archived',
      'archivedCommit',
      'log',
      'logs',
    ].includes(name),
  );

/** Always found: resources that every caller has, and the name of a branch, which need not exist. */
const everybodyHas = new Set(['counts', 'ruledBranch', 'queueBranch']);

const changes = await noteChanges(opened.db);

const below = allEndpoints.filter((endpoint) => resourcesOf(endpoint).some(({ name }) => !everybodyHas.has(name)));

test('every resource of a path has a sample', () => {
  const missing = below.flatMap((endpoint) => resourcesOf(endpoint)).filter((resource) => !samples.has(resource));
  expect([...new Set(missing.map(({ name, words }) => `${name} {${Object.keys(words).join('}, {')}}`))]).toEqual([]);
});

test.each(below.map((endpoint) => ({ ...endpoint, route: `${endpoint.method} ${endpoint.path}` })))(
  '$route finds its own alone',
  async (endpoint) => {
    const { method, path } = endpoint;
    const body = endpoint.body ? ((endpoint.example as object | undefined) ?? {}) : undefined;
    const ofCaller = resourcesOf(endpoint)[0]?.below === undefined;
    // A path that names its root by id can only be foreign below another root, which the caller may not see.
    const isRoot = idRootOf(path) !== undefined;
    const own = await makeOnce(here, endpoint);
    const caller = (await callerOf(here, endpoint)) ?? here.client;
    const ask = (words: Words, client = caller) => calls(client, method, fill(path, words), body);
    if (method === 'GET') expect((await ask(own)).status).toBeLessThan(400);

    const resources = resourcesOf(endpoint);
    const schemas = wordSchemasOf(endpoint);
    const innermost = wordsOfAll(resources.slice(-1));
    const absent: Words = {
      ...own,
      ...Object.fromEntries(innermost.map((word) => [word, nowhere[word] ?? absentWord(schemas.get(word) ?? {})])),
    };
    const foreign = await makeOnce(ofCaller || isRoot ? others : elsewhere, endpoint);
    // From each resource on, the words are replaced by foreign ones. Names that exist in both refer to the local resource.
    const moved = isForEverybody(resources)
      ? []
      : resources.flatMap((_, at) => {
          const words = wordsOfAll(resources.slice(at));
          const isSame = words.every((word) => foreign[word] === own[word]);
          return isSame ? [] : [{ ...own, ...Object.fromEntries(words.map((word) => [word, foreign[word] ?? ''])) }];
        });
    expect(moved.length > 0 || isForEverybody(resources)).toBe(true);

    await changes();
    const missing = await ask(absent);
    expect(missing.status).toBeGreaterThanOrEqual(400);
    const told = (answer: Answer, words: Words) => toldBy(answer, [...Object.values(words), ...Object.values(absent)]);
    for (const words of moved) expect(told(await ask(words), words)).toEqual(told(missing, words));
    if (!ofCaller) {
      const [hidden, none] = [await ask(own, stranger), await ask(absent, stranger)];
      expect(hidden.status).toBeGreaterThanOrEqual(400);
      expect(told(hidden, own)).toEqual(told(none, own));
    }
    expect(await changes()).toEqual([]);

    const removal = removalOf(resources.at(-1));
    if (!removal) return;
    const deleted = { ...own, ...(await makeAll(here, endpoint)) };
    expect((await calls(caller, 'DELETE', fill(removal.path, deleted), undefined)).status).toBeLessThan(300);
    await opened.settle();
    expect(told(await ask(deleted), deleted)).toEqual(told(missing, deleted));
  },
);
