// What security managers of an organization may do, derived from the declarations: every endpoint that accepts them lets them in
// for as long as they have the role, and refuses people who only read.
import { expect, test } from 'vitest';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { allEndpoints } from '#resources/all.ts';
import type { Answer, Client } from '#test/support/client.ts';
import { fresh, world } from '#test/support/world.ts';
import { fill, makeAll, type Words } from './children.ts';
import { makeSampleStage } from './sample-stage.ts';

const here = await world();
const owner = await here.user('ada');
const stage = await makeSampleStage(here, owner);
const { org, repo, client } = stage;
const path = `/orgs/${org.login}`;
const base = `/repos/${org.login}/${repo.name}`;

/** Members of an organization whose members have no role in its repositories. The reader reads the repository. */
const [manager, teammate, member, reader] = [await here.user(), await here.user(), await here.user(), await here.user()];
for (const one of [manager, teammate, member, reader]) await here.member(org, one);
await client.patch(path, { default_repository_permission: 'none' });
await here.collaborator(repo, reader, 'read');
await client.post(`${path}/teams`, { name: 'Guards', privacy: 'closed' });
await client.post(`${path}/teams`, {
  name: 'Night guards',
  privacy: 'closed',
  parent_team_id: (await client.get(`${path}/teams/guards`)).body.id,
});
await client.put(`${path}/teams/night-guards/memberships/${teammate.login}`);
await client.put(`${base}/vulnerability-alerts`);
await client.patch(base, { security_and_analysis: { secret_scanning: { status: 'enabled' } } });

const { roles } = (await client.get(`${path}/organization-roles`)).body;
const role = roles.find(({ name }: { name: string }) => name === 'security_manager');
const holders = [`users/${manager.login}/${role.id}`, `teams/guards/${role.id}`].map(
  (one) => `${path}/organization-roles/${one}`,
);

/** The endpoints that accept security managers. Those that delete or turn off something come last. */
const accepting = allEndpoints
  .filter(({ access }) => access.orRole === 'security_manager')
  .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));

const patternChange = ({ custom_pattern_version }: Words) => ({ pattern: 'key-[0-9]{9}', custom_pattern_version });

/** The bodies of requests whose examples name what isn't there. */
const bodies: Readonly<Record<string, (words: Words) => object>> = {
  'repos/update': () => ({ security_and_analysis: { secret_scanning_push_protection: { status: 'enabled' } } }),
  'code-security/detach-configuration': () => ({ selected_repository_ids: [repo.id] }),
  'code-security/attach-configuration': () => ({ scope: 'selected', selected_repository_ids: [repo.id] }),
  'dependabot/update-repository-access-for-org': () => ({ repository_ids_to_add: [repo.id] }),
  'code-security/update-configuration': () => ({ description: 'Another description' }),
  'secret-scanning/update-org-custom-pattern': patternChange,
  'secret-scanning/update-repo-custom-pattern': patternChange,
  'secret-scanning/bulk-delete-org-custom-patterns': ({ pattern_id }) => ({ patterns: [{ pattern_id: Number(pattern_id) }] }),
  'secret-scanning/bulk-delete-repo-custom-patterns': ({ pattern_id }) => ({ patterns: [{ pattern_id: Number(pattern_id) }] }),
  'secret-scanning/update-org-pattern-configs': () => ({ provider_pattern_settings: [] }),
};

/** Endpoints that refuse everybody on a private repository. */
const refusedAnyway: Readonly<Record<string, number>> = { 'repos/enable-private-vulnerability-reporting': 422 };

const call = (who: Client, { method }: Endpoint, url: string, body: object | undefined): Promise<Answer> =>
  ({
    GET: () => who.get(url),
    POST: () => who.post(url, body),
    PUT: () => who.put(url, body),
    PATCH: () => who.patch(url, body),
    DELETE: () => who.delete(url, body),
  })[method]();

/** A request for an endpoint, with everything that its path and its body name. */
async function requestOf(endpoint: Endpoint) {
  const words: Record<string, string> = {
    security_product: 'secret_scanning',
    enablement: 'disable_all',
    ...(await makeAll(stage, endpoint)),
  };
  if (/(?:delete|update)-(?:org|repo)-custom/.test(endpoint.id)) {
    const at = fill(endpoint.path.replace(/\/\{pattern_id\}$/, ''), words);
    const { body } = await client.post(at, { patterns: [{ name: fresh('key'), pattern: 'key-[0-9]{8}' }] });
    const { id, custom_pattern_version } = body.created_patterns[0];
    Object.assign(words, { pattern_id: String(id), custom_pattern_version });
  }
  const body = bodies[endpoint.id]?.(words) ?? (endpoint.example as object | undefined);
  return { endpoint, url: fill(endpoint.path, words), body };
}

type Request = Awaited<ReturnType<typeof requestOf>>;

/** The endpoints that answer with another status than the expected one. */
async function differing(who: Client, requests: readonly Request[], expected: (endpoint: Endpoint) => readonly number[]) {
  const wrong: string[] = [];
  for (const { endpoint, url, body } of requests) {
    const { status, text } = await call(who, endpoint, url, body);
    if (!expected(endpoint).includes(status)) wrong.push(`${endpoint.method} ${url}: ${status} ${text.slice(0, 200)}`);
  }
  return wrong;
}

const isOfRepository = (endpoint: Endpoint): boolean => endpoint.path.includes('{repo}');
const toReaders = ({ method }: Endpoint) => [method === 'GET' ? 404 : 403];
/** A repository that they can't read is hidden from members. */
const toMembers = (endpoint: Endpoint) => (isOfRepository(endpoint) ? [404] : toReaders(endpoint));
const toManagers = ({ id, replies }: Endpoint) =>
  id in refusedAnyway ? [refusedAnyway[id] ?? 0] : Object.keys(replies).map(Number);

test('every endpoint that accepts security managers is open to them, for as long as they have the role', async () => {
  expect(accepting.length).toBeGreaterThan(50);
  const [managing, ofTeam, asMember, reading] = await Promise.all([manager, teammate, member, reader].map((one) => here.as(one)));
  if (!managing || !ofTeam || !asMember || !reading) throw new Error('There are four clients');
  const reads: Request[] = [];
  const requests: Request[] = [];
  for (const endpoint of accepting) {
    const request = await requestOf(endpoint);
    requests.push(request);
    if (endpoint.method === 'GET') reads.push(request);
  }
  const refused = async () => [
    ...(await differing(managing, requests, toMembers)),
    ...(await differing(ofTeam, requests, toMembers)),
    ...(await differing(asMember, requests, toMembers)),
    ...(await differing(reading, requests, toReaders)),
  ];
  expect(await refused()).toEqual([]);
  for (const holder of holders) expect((await client.put(holder)).status).toBe(204);
  expect(await differing(ofTeam, reads, toManagers)).toEqual([]);
  expect(await differing(managing, requests, toManagers)).toEqual([]);
  expect(await differing(asMember, requests, toMembers)).toEqual([]);
  expect(await differing(reading, requests, toReaders)).toEqual([]);
  for (const holder of holders) expect((await client.delete(holder)).status).toBe(204);
  expect(await refused()).toEqual([]);
});
