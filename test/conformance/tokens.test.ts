import { expect, test } from 'vitest';
import { acceptedPermissions, acceptedScopes } from '#access/policy.ts';
import { scopes } from '#access/scopes.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { idRootOf } from '#endpoint/path-words.ts';
import { allEndpoints } from '#resources/all.ts';
import type { SampleStage } from '#test/support/samples.ts';
import { world } from '#test/support/world.ts';
import { type Caller, everyPermission, makeStage, samplePath } from './callers.ts';
import { makeAll, type Words } from './children.ts';
import { type Expected, expectedOf as expectedIn } from './evaluator.ts';

const opened = await world();
const { callers, owner, org, repo } = await makeStage(opened);
const { app } = opened.hearth;

type Outcome = { status: number; headers: Record<string, unknown>; text: string };

/** The expected result in the stage's private repository and organization, whose owner is also a site administrator. */
function expectedOf(endpoint: Endpoint, { kind, role, holds }: Caller): Expected {
  if (kind === 'malformed') return 401;
  const credential = {
    kind,
    holds: '',
    scopes: holds ? scopes : [],
    permissions: holds ? everyPermission : {},
    elsewhere: false,
  };
  const person = role === 'stranger' ? 'outsider' : role;
  return expectedIn(endpoint, { person, visibility: 'private', state: 'open', credential }, { siteAdmin: role === 'owner' });
}

/** A body that isn't JSON shows who gets that far, and changes nothing. */
async function call({ method, path, body }: Endpoint, { token }: Caller, words: Words = {}): Promise<Outcome> {
  const reply = await app.inject({
    method,
    url: `/api/v3${samplePath(path, words)}`,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(body ? { body: '{' } : {}),
  });
  return { status: reply.statusCode, headers: reply.headers, text: reply.body };
}

const strongest = callers[0] as Caller;

const stage: SampleStage = { ...opened, world: opened, place: 'here', client: await opened.as(owner), owner, org, repo };
const made = new Map<Endpoint, Words>();

/** The words of existing resources, so that a caller with access gets as far as the body. */
async function existing(endpoint: Endpoint): Promise<Words> {
  const words = made.get(endpoint) ?? (await makeAll(stage, endpoint));
  made.set(endpoint, words);
  return words;
}

/** For a path with an id, access is decided only if the resource exists. */
const rootWords = (endpoint: Endpoint) =>
  idRootOf(endpoint.path) !== undefined && endpoint.resources ? () => existing(endpoint) : undefined;

const oneself = async () => ({ username: owner.login });

/** For calls that would remove the stage's own resources, or that may only name the caller. */
const special: Readonly<Record<string, () => Promise<Words>>> = {
  'DELETE /orgs/{org}': async () => ({ org: (await opened.org(owner)).login }),
  'PUT /orgs/{org}/public_members/{username}': oneself,
  'DELETE /orgs/{org}/public_members/{username}': oneself,
  'DELETE /repos/{owner}/{repo}': async () => ({ repo: (await opened.repo(org, { visibility: 'private', by: owner })).name }),
};

/** Calls that remove the caller's own token. The families' tests make them. */
const endsItself = new Set(['DELETE /installation/token']);

const problems = async (endpoint: Endpoint, caller: Caller, reference: Outcome | undefined): Promise<string[]> => {
  const route = `${endpoint.method} ${endpoint.path}`;
  const expected = expectedOf(endpoint, caller);
  const named = endpoint.body && endpoint.resources ? () => existing(endpoint) : undefined;
  const root = rootWords(endpoint);
  const words = expected === 'passes' ? (special[route] ?? named ?? root) : root;
  if (expected === 'passes' && endsItself.has(route)) return [];
  // A separate organization is out of reach for tokens that were made for another one.
  if (words && route === 'DELETE /orgs/{org}' && caller !== strongest) return [];
  const outcome = await call(endpoint, caller, await words?.());
  const told = `${route}, ${caller.name}: ${outcome.status} ${outcome.text.slice(0, 120)}`;
  const isRight = expected === 'passes' ? passes(endpoint, caller, outcome, reference) : outcome.status === expected;
  return [
    ...(isRight ? [] : [`${told}, but ${expected} is expected`]),
    ...headerProblems(endpoint, caller, outcome).map((text) => `${told}: ${text}`),
  ];
};

/**
 * An OAuth app only reaches the hooks of an organization that it created itself. The stage's hooks were created by its owner. The
 * owner also has the inbox with the threads, the pending review, and the draft advisory.
 */
const ofOthers = (path: string, { kind, role }: Caller): boolean =>
  (kind === 'oauth_app' && path.startsWith('/orgs/{org}/hooks/{hook_id}')) ||
  (role !== 'owner' && path.startsWith('/notifications/threads/{thread_id}')) ||
  (role !== 'owner' && path.includes('/security-advisories/{advisory_id}')) ||
  ((role !== 'owner' || kind === 'installation') && path.includes('/reviews/{review_id}'));

/**
 * An admitted call fails at its body, or finds what the strongest token finds. Rules may still refuse callers who aren't owners.
 */
function passes({ body, path }: Endpoint, caller: Caller, { status }: Outcome, reference: Outcome | undefined): boolean {
  if (body) return status === (ofOthers(path, caller) ? 404 : 400);
  if (status === 401 || status >= 500) return false;
  if (caller.role !== 'owner' || caller.kind === 'none') return true;
  if (reference === undefined || reference.status === 401 || reference.status === 403) return status !== 403;
  return status < 400 ? reference.status < 400 : status === reference.status;
}

function headerProblems({ access }: Endpoint, { kind, holds }: Caller, { headers }: Outcome): string[] {
  const isClassic = kind === 'classic_pat' || kind === 'oauth_app';
  const isFineGrained = kind === 'fine_grained_pat' || kind === 'app_user' || kind === 'installation';
  const expected: Record<string, unknown> = {
    'x-accepted-service-permissions': isFineGrained ? acceptedPermissions(access.permission) : undefined,
    'x-accepted-oauth-scopes': isClassic ? acceptedScopes(access) : undefined,
  };
  const wrong = Object.entries(expected).filter(([name, value]) => headers[name] !== value);
  const held = headers['x-oauth-scopes'];
  const isHeldRight = isClassic ? (holds ? String(held).includes('admin:org') : held === '') : held === undefined;
  return [...wrong.map(([name]) => `${name} is ${headers[name]}`), ...(isHeldRight ? [] : [`x-oauth-scopes is ${held}`])];
}

const families = [...Map.groupBy(allEndpoints, ({ family }) => family)].map(([family, endpoints]) => ({ family, endpoints }));

test.each(families)('$family: every endpoint answers each kind of caller as the documents say', async ({ endpoints }) => {
  const found: string[] = [];
  for (const endpoint of endpoints) {
    const reference = endpoint.method === 'GET' ? await call(endpoint, strongest, await rootWords(endpoint)?.()) : undefined;
    // Refusals come first, since admitted calls may change something.
    const refusedFirst = callers.toSorted(
      (a, b) => Number(expectedOf(endpoint, a) === 'passes') - Number(expectedOf(endpoint, b) === 'passes'),
    );
    for (const caller of refusedFirst) found.push(...(await problems(endpoint, caller, reference)));
  }
  expect(found).toEqual([]);
});

test('every kind of caller without the right was refused somewhere, and let through elsewhere', () => {
  for (const caller of callers.filter(({ holds }) => !holds)) {
    const outcomes = allEndpoints.map((endpoint) => expectedOf(endpoint, caller) === 'passes');
    expect(new Set(outcomes).size, caller.name).toBe(caller.kind === 'malformed' ? 1 : 2);
  }
});
