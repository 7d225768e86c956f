// A sample of the table of decisions (`test/access/every-cell.test.ts`) as requests, with real people, tokens, teams and
// repositories.
import { expect, test } from 'vitest';
import type { Scope } from '#access/scopes.ts';
import type { Account } from '#access/viewer.ts';
import type { Endpoint } from '#endpoint/endpoint.ts';
import { allEndpoints } from '#resources/all.ts';
import { type Cell, type Credential, credentialsFor, type Person, people, visibilities } from '#test/access/cells.ts';
import { requirementOf } from '#test/access/requirements.ts';
import { installApp, oauthToken } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';
import { random as randomOf } from '#test/vocabulary/random.ts';
import { samplePath } from './callers.ts';
import { expectedOf } from './evaluator.ts';

/** The number of requests, and their seed. Use `HEARTH_TEST_REQUESTS=100000` for a long run. */
const requests = Number(process.env.HEARTH_TEST_REQUESTS ?? 1_500);
const seed = Number(process.env.HEARTH_TEST_SEED ?? 11);

const opened = await world();
const { user, org: makeOrg, member, repo: makeRepo, collaborator } = opened;

const accounts = Object.fromEntries(
  await Promise.all(
    people.map(async (person) => [
      person,
      await user(`an-${person.replace('_', '-')}`, person === 'site_admin' ? { site_admin: true } : {}),
    ]),
  ),
) as Record<Person, Account>;
const { owner } = accounts;
const acme = await makeOrg(owner, 'acme');
await member(acme, accounts.member);
await member(acme, accounts.security_manager);
await member(acme, await user('carl'));
const elsewhere = await makeOrg(await user(), 'elsewhere');
const repos = new Map<string, { id: number; name: string }>();
for (const visibility of visibilities) {
  const repo = await makeRepo(acme, { name: `a-${visibility}-one`, visibility, by: owner });
  for (const role of ['read', 'triage', 'write', 'maintain', 'admin'] as const) await collaborator(repo, accounts[role], role);
  repos.set(visibility, repo);
}
// If these alerts are disabled, rules refuse authorized callers.
await opened.db.updateTable('repositories').set({ vulnerability_alerts: true }).execute();
const asOwner = await opened.as(owner);
const managerRole = (await asOwner.get('/orgs/acme/organization-roles')).body.roles.find(
  ({ name }: { name: string }) => name === 'security_manager',
);
await asOwner.put(`/orgs/acme/organization-roles/users/${accounts.security_manager.login}/${managerRole.id}`);
const { body: team } = await asOwner.post('/orgs/acme/teams', { name: 'team', privacy: 'closed' });

const made = new Map<string, Promise<string | undefined>>();
const apps = new Map<string, ReturnType<typeof installApp>>();

function appOf({ permissions, elsewhere: isElsewhere }: Credential): ReturnType<typeof installApp> {
  const on = isElsewhere ? elsewhere : acme;
  const key = JSON.stringify([permissions, isElsewhere]);
  const app = apps.get(key) ?? installApp(opened, { on, permissions });
  apps.set(key, app);
  return app;
}

async function makeToken(credential: Credential, account: Account): Promise<string | undefined> {
  const { kind, scopes, permissions, elsewhere: isElsewhere } = credential;
  switch (kind) {
    case 'classic_pat':
      return opened.token(account, scopes as Scope[]);
    case 'oauth_app':
      return oauthToken(opened, account, scopes);
    case 'fine_grained_pat':
      return opened.fineGrained(account, isElsewhere ? elsewhere : acme, permissions);
    case 'app_user':
      return (await appOf(credential)).userToken(account);
    case 'installation':
      return (await appOf(credential)).token;
    default:
      return undefined;
  }
}

function tokenOf(credential: Credential, person: Person): Promise<string | undefined> {
  const key = JSON.stringify([credential, person]);
  const token = made.get(key) ?? makeToken(credential, accounts[person]);
  made.set(key, token);
  return token;
}

async function statusOf({ method, path, body }: Endpoint, { visibility, credential, person }: Cell): Promise<number> {
  const { id, name } = repos.get(visibility) ?? { id: 0, name: '' };
  const words: Record<string, string> = { repo: name, template_repo: name };
  if (path.startsWith('/repositories/')) words.repository_id = `${id}`;
  if (path.startsWith('/teams/')) words.team_id = `${team.id}`;
  const token = await tokenOf(credential, person);
  const { statusCode } = await opened.hearth.app.inject({
    method,
    url: `/api/v3${samplePath(path, words)}`,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    // A body that isn't JSON shows who gets that far, and changes nothing.
    ...(body ? { body: '{' } : {}),
  });
  return statusCode;
}

/** Requests that remove the stage or the caller's token, or that a rule allows only for the caller itself. */
const leftOut = new Set([
  'DELETE /orgs/{org}',
  'DELETE /repos/{owner}/{repo}',
  'DELETE /teams/{team_id}',
  'DELETE /installation/token',
  'PUT /orgs/{org}/public_members/{username}',
  'DELETE /orgs/{org}/public_members/{username}',
]);
const routes = allEndpoints.filter(({ method, path }) => !leftOut.has(`${method} ${path}`));

const everything: Credential = {
  kind: 'classic_pat',
  holds: '',
  scopes: ['repo', 'admin:org', 'admin:org_hook'],
  permissions: {},
  elsewhere: false,
};

/**
 * Rules hide this data from some authorized callers: concealed members, fields for members only, and data for owners and
 * maintainers of a team.
 */
const ofSome = new Set([
  'GET /orgs/{org}/issue-fields',
  'GET /user/memberships/orgs/{org}',
  'GET /repos/{owner}/{repo}/assignees/{assignee}',
  'GET /repos/{owner}/{repo}/collaborators/{username}',
  'GET /teams/{team_id}/invitations',
]);

/**
 * Whether access was granted. A read with 404 finds nothing if the owner of everything gets 404 too. Rules may refuse callers who
 * aren't owners.
 */
async function gotThrough(endpoint: Endpoint, cell: Cell, status: number): Promise<boolean> {
  if (status === 401 || status >= 500) return false;
  if (status === 403) return cell.person !== 'owner' || cell.credential.kind === 'none';
  if (status !== 404 || ofSome.has(`${endpoint.method} ${endpoint.path}`)) return true;
  return endpoint.method !== 'GET' || (await statusOf(endpoint, { ...cell, person: 'owner', credential: everything })) >= 400;
}

test('requests are answered as the documents say', async () => {
  const random = randomOf(seed);
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T;
  const wrong: string[] = [];
  const seen = new Map<string, number>();
  for (let i = 0; i < requests; i++) {
    const endpoint = pick(routes);
    // Sessions never reach the API.
    const without = ['app_jwt', 'client', 'session'];
    const credentials = credentialsFor(requirementOf(endpoint)).filter(({ kind }) => !without.includes(kind));
    const cell: Cell = { person: pick(people), visibility: pick(visibilities), state: 'open', credential: pick(credentials) };
    const expected = expectedOf(endpoint, cell);
    const status = await statusOf(endpoint, cell);
    const isRight = expected === 'passes' ? await gotThrough(endpoint, cell, status) : status === expected;
    seen.set(`${expected}`, (seen.get(`${expected}`) ?? 0) + 1);
    const { kind, holds, elsewhere: isElsewhere } = cell.credential;
    if (!isRight)
      wrong.push(
        `${endpoint.method} ${endpoint.path} (${cell.visibility}) by ${cell.person}, ${kind} with ` +
          `${holds}${isElsewhere ? ' elsewhere' : ''}: ${status} for ${expected}`,
      );
  }
  expect(wrong).toEqual([]);
  for (const outcome of ['passes', '401', '403', '404']) expect(seen.get(outcome), outcome).toBeGreaterThan(requests / 200);
});
