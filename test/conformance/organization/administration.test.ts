import { expect, test } from 'vitest';
import { oauthApp, oauthToken } from '#test/support/apps.ts';
import { clientOf } from '#test/support/client.ts';
import { world } from '#test/support/world.ts';
import { everyRow } from '../rows.ts';
import { type Caller, callersFor } from './callers.ts';
import { type Request, requests, requestsInRepositories } from './requests.ts';
import { type Right, rights, rightsInRepositories } from './rights.ts';
import { makeStage } from './stage.ts';

const here = await world();
const stage = await makeStage(here);
const client = await here.as(stage.owner);

const pathOf = (right: Right, { words }: Request): string =>
  Object.entries({ org: stage.org.login, owner: stage.org.login, repo: stage.repo.name, ...words }).reduce(
    (path, [word, value]) => path.replace(`{${word}}`, String(value)),
    right.route.replace(/^\w+ /, ''),
  );

function call(right: Right, { token }: Caller, request: Request) {
  const as = clientOf(here.url, token);
  const path = pathOf(right, request);
  const { body } = request;
  if (right.route.startsWith('GET ')) return as.get(path);
  if (right.route.startsWith('POST ')) return as.post(path, body);
  return right.route.startsWith('PATCH ') ? as.patch(path, body) : as.delete(path);
}

const callers = new Map<string, Promise<Caller[]>>();

/** The same callers for all endpoints with the same requirements. */
function callersOf(right: Right): Promise<Caller[]> {
  const { permission, level, scopes, role, route } = right;
  const key = JSON.stringify([permission, level, scopes, role, route.startsWith('GET ')]);
  const known = callers.get(key) ?? callersFor(stage, right);
  callers.set(key, known);
  return known;
}

const made = (right: Right): Promise<Request> => {
  const maker = requests[right.route] ?? requestsInRepositories[right.route];
  if (!maker) throw new Error(`There is no call for ${right.route}`);
  return maker(stage, client);
};

test('document 2 tells of 37 endpoints of organizations, and each has a call here', () => {
  expect(rights.map(({ route }) => route).toSorted()).toEqual(Object.keys(requests).toSorted());
  expect(rights).toHaveLength(37);
  expect(rightsInRepositories.map(({ route }) => route)).toEqual(Object.keys(requestsInRepositories));
});

test.each([...rights, ...rightsInRepositories])('$route: every kind of token, permission and role', async (right) => {
  const request = await made(right);
  const everybody = await callersOf(right);
  const refused = everybody.filter((caller) => caller.refused !== undefined);
  const admitted = everybody.filter((caller) => caller.refused === undefined);
  await here.settle();

  const before = await everyRow(here.db);
  const refusals: Record<string, number> = {};
  for (const caller of refused) refusals[caller.name] = (await call(right, caller, request)).status;
  expect(refusals).toEqual(Object.fromEntries(refused.map((caller) => [caller.name, caller.refused])));
  expect(await everyRow(here.db), 'what was refused changed nothing').toBe(before);

  const successes: Record<string, number> = {};
  const takesIt = !right.route.startsWith('GET ');
  for (const caller of admitted)
    successes[caller.name] = (await call(right, caller, takesIt ? await made(right) : request)).status;
  expect(successes).toEqual(Object.fromEntries(admitted.map((caller) => [caller.name, right.success])));
});

const ofHooks = rights.filter(({ route }) => route.includes('/hooks/{hook_id}'));

test.each(ofHooks)('$route: another OAuth app does not reach a webhook that it did not make', async (right) => {
  const request = await made(right);
  await here.settle();
  const token = await oauthToken(here, stage.owner, ['admin:org_hook'], await oauthApp(here, stage.owner));
  const before = await everyRow(here.db);
  expect((await call(right, { name: 'another OAuth app', token }, request)).status).toBe(404);
  expect(await everyRow(here.db)).toBe(before);
});
