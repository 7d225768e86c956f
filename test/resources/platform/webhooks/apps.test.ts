import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { oauthApp, oauthToken } from '#test/support/apps.ts';
import { receiver } from '#test/support/receiver.ts';
import { fresh, type World } from '#test/support/world.ts';
import { hookOf, setting } from './setting.ts';

/** A token that a user gave an OAuth app of its own. */
const tokenOfApp = async (here: World, user: Account): Promise<string> =>
  oauthToken(here, user, ['admin:org_hook'], await oauthApp(here, user));

test('an OAuth app reaches the hooks that it made, and no others', async () => {
  const { here, owner, org, target } = await setting();
  const other = await hookOf(here, org, owner, target.url);
  const client = await here.as(await tokenOfApp(here, owner));
  const another = await here.as(await tokenOfApp(here, owner));
  const path = `/orgs/${org.login}/hooks`;

  const { body: own } = await client.post(path, { name: 'web', config: { url: `${target.url}/own` } });
  const ids = async (who: typeof client) => (await who.get(path)).body.map((hook: { id: number }) => hook.id);
  expect(await ids(client)).toEqual([own.id]);
  expect(await ids(another)).toEqual([]);
  expect(await ids(await here.as(owner))).toEqual([other, own.id]);
  for (const reply of [
    await client.get(`${path}/${other}`),
    await client.patch(`${path}/${other}`, { active: false }),
    await client.delete(`${path}/${other}`),
    await client.get(`${path}/${other}/config`),
    await client.get(`${path}/${other}/deliveries`),
    await client.post(`${path}/${other}/pings`),
    await another.get(`${path}/${own.id}`),
  ])
    expect(reply.status).toBe(404);
  expect((await client.patch(`${path}/${own.id}`, { active: false })).status).toBe(200);
});

/** An app with a hook of its own, installed on an account. */
async function installed(
  { db, clock }: World,
  on: Account,
  given: { url: string; permissions: Record<string, string>; events: string[]; repositories?: readonly { id: number }[] },
) {
  const times = { created_at: clock.now, updated_at: clock.now };
  const slug = fresh('listener');
  const permissions = JSON.stringify(given.permissions);
  const app = await db
    .insertInto('apps')
    .values({
      kind: 'app',
      owner_id: on.id,
      slug,
      name: slug,
      external_url: 'https://x.example',
      client_id: slug,
      permissions,
      ...times,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const hook = {
    app_id: app.id,
    events: ['*'],
    url: given.url,
    content_type: 'json' as const,
    base_url: 'https://hearth.example',
  };
  await db
    .insertInto('webhooks')
    .values({ ...hook, ...times })
    .execute();
  const installation = await db
    .insertInto('installations')
    .values({
      app_id: app.id,
      account_id: on.id,
      repository_selection: given.repositories ? 'selected' : 'all',
      permissions,
      events: given.events,
      ...times,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const { id } of given.repositories ?? [])
    await db
      .insertInto('installation_repositories')
      .values({ installation_id: installation.id, repository_id: id as never })
      .execute();
  return { app: app.id, installation: installation.id };
}

test('an app hears by its installation: of its events, its repositories, and what it may read', async () => {
  const { here, owner, org } = await setting();
  const [chosen, other] = [await here.repo(org, { by: owner }), await here.repo(org, { by: owner })];
  const all = { metadata: 'read', contents: 'read', members: 'read' };
  const target = await receiver();
  const blind = await receiver();
  const deaf = await receiver();
  const { app, installation } = await installed(here, org, {
    url: target.url,
    permissions: all,
    events: ['repository', 'member'],
    repositories: [chosen],
  });
  await installed(here, org, { url: blind.url, permissions: { metadata: 'read' }, events: ['member'] });
  await installed(here, org, { url: deaf.url, permissions: all, events: ['fork'] });
  const user = await here.user();
  const client = await here.as(owner);
  for (const { name } of [chosen, other]) {
    await client.patch(`/repos/${org.login}/${name}`, { description: 'new' });
    await client.put(`/repos/${org.login}/${name}/collaborators/${owner.login}`, {});
  }
  await here.member(org, user);
  await client.put(`/repos/${org.login}/${chosen.name}/collaborators/${user.login}`, { permission: 'push' });
  await here.settle();

  const told = target.requests.map(({ headers, body }) => ({ event: headers['x-service-event'], body: JSON.parse(body) }));
  expect(told.map(({ event, body }) => [event, body.action, body.repository.name])).toEqual(
    expect.arrayContaining([
      ['repository', 'edited', chosen.name],
      ['member', 'added', chosen.name],
    ]),
  );
  expect(told.every(({ body }) => body.repository.name === chosen.name)).toBe(true);
  expect(told[0]?.body.installation).toMatchObject({ id: installation });
  expect(told[0]?.body.repository.url).toMatch('https://hearth.example/api/v3/repos/');
  expect(target.requests[0]?.headers).toMatchObject({
    'x-service-hook-installation-target-type': 'integration',
    'x-service-hook-installation-target-id': String(app),
  });
  expect(blind.requests).toEqual([]);
  expect(deaf.requests).toEqual([]);
});

test('that a repository is gone is told to its organization, and to no app', async () => {
  const { here, owner, org, target } = await setting();
  const repo = await here.repo(org, { by: owner });
  const app = await receiver();
  await here.settle();
  await installed(here, org, { url: app.url, permissions: { metadata: 'read' }, events: ['repository'] });
  await hookOf(here, org, owner, target.url, { events: ['repository'], config: { content_type: 'json' } });
  const client = await here.as(owner);
  await client.patch(`/repos/${org.login}/${repo.name}`, { description: 'new' });
  await here.settle();
  await client.delete(`/repos/${org.login}/${repo.name}`);
  await here.settle();
  const actions = (requests: typeof target.requests) => requests.map(({ body }) => JSON.parse(body).action);
  expect(actions(target.requests.slice(1))).toEqual(['edited', 'deleted']); // after its ping
  expect(actions(app.requests)).toEqual(['edited']);
});

test('a suspended installation hears nothing', async () => {
  const { here, owner, org } = await setting();
  const repo = await here.repo(org, { by: owner });
  const target = await receiver();
  const { installation } = await installed(here, org, {
    url: target.url,
    permissions: { metadata: 'read' },
    events: ['repository'],
  });
  await here.db.updateTable('installations').set({ suspended_at: here.clock.now }).where('id', '=', installation).execute();
  await (await here.as(owner)).patch(`/repos/${org.login}/${repo.name}`, { description: 'new' });
  await here.settle();
  expect(target.requests).toEqual([]);
});
