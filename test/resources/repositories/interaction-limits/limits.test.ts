import { expect, test } from 'vitest';
import { completeDeletions } from '#test/resources/platform/organization-deletion/support.ts';
import { eventsOf, installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo, member, collaborator, fineGrained, unchanged, clock } = w;

const tables = ['interaction_limits', 'events'];

/** An organization with a repository, and the addresses of their limits. */
async function setting() {
  const owner = await user();
  const acme = await org(owner);
  const engine = await repo(acme, { by: owner });
  const [ofOrg, ofRepo] = [`/orgs/${acme.login}/interaction-limits`, `/repos/${acme.login}/${engine.name}/interaction-limits`];
  return { owner, acme, engine, ofOrg, ofRepo, client: await as(owner) };
}

test('a limit of a repository and of an organization is set, shown, replaced and removed', async () => {
  const { acme, ofOrg, ofRepo, client } = await setting();
  for (const [path, origin] of [
    [ofRepo, 'repository'],
    [ofOrg, 'organization'],
  ] as const) {
    expect(await client.get(path)).toMatchObject({ status: 200, body: {} });
    const day = { limit: 'existing_users', origin, expires_at: '2026-01-02T00:00:00Z' };
    expect(await client.put(path, { limit: 'existing_users' })).toMatchObject({ status: 200, body: day });
    expect((await client.get(path)).body).toEqual(day);
    const week = { limit: 'collaborators_only', origin, expires_at: '2026-01-08T00:00:00Z' };
    expect((await client.put(path, { limit: 'collaborators_only', expiry: 'one_week' })).body).toEqual(week);
    expect((await client.get(path)).body).toEqual(week);
    expect((await client.delete(path)).status).toBe(204);
    expect((await client.get(path)).body).toEqual({});
    await unchanged(tables, async () => expect((await client.delete(path)).status).toBe(204));
  }
  const told = ['interaction_limit.set', 'interaction_limit.set', 'interaction_limit.removed'];
  expect((await eventsOf(w, acme)).filter((kind) => kind.startsWith('interaction'))).toEqual([...told, ...told]);
});

test.each([
  ['one_day', '2026-01-31T12:00:00Z', '2026-02-01T12:00:00Z'],
  ['three_days', '2026-01-31T12:00:00Z', '2026-02-03T12:00:00Z'],
  ['one_week', '2026-01-31T12:00:00Z', '2026-02-07T12:00:00Z'],
  ['one_month', '2026-01-31T12:00:00Z', '2026-02-28T12:00:00Z'],
  ['one_month', '2026-12-15T12:00:00Z', '2027-01-15T12:00:00Z'],
  ['six_months', '2026-08-31T12:00:00Z', '2027-02-28T12:00:00Z'],
])('%s from %s lasts until %s', async (expiry, from, until) => {
  const { client, ofRepo } = await setting();
  const before = clock.now;
  try {
    clock.now = new Date(from);
    expect((await client.put(ofRepo, { limit: 'contributors_only', expiry })).body.expires_at).toBe(until);
  } finally {
    clock.now = before;
  }
});

test.each([[{}], [{ limit: 'nobody' }], [{ limit: 'existing_users', expiry: 'one_year' }], [{ expiry: 'one_day' }]])(
  'refuses %o and writes nothing',
  async (wrong) => {
    const { client, ofOrg, ofRepo } = await setting();
    await unchanged(tables, async () => {
      expect((await client.put(ofOrg, wrong)).status).toBe(422);
      expect((await client.put(ofRepo, wrong)).status).toBe(422);
    });
  },
);

test('while an organization has a limit, it holds in its repositories, and their own cannot be changed', async () => {
  const { client, ofOrg, ofRepo } = await setting();
  const own = (await client.put(ofRepo, { limit: 'contributors_only', expiry: 'one_week' })).body;
  const above = (await client.put(ofOrg, { limit: 'existing_users' })).body;
  expect((await client.get(ofRepo)).body).toEqual(above);
  await unchanged(tables, async () => {
    expect((await client.put(ofRepo, { limit: 'collaborators_only' })).status).toBe(409);
    expect((await client.delete(ofRepo)).status).toBe(409);
  });
  await client.delete(ofOrg);
  expect((await client.get(ofRepo)).body).toEqual(own);
  expect((await client.delete(ofRepo)).status).toBe(204);
});

test('a limit that has expired is none: it is not shown, and hinders no change', async () => {
  const { acme, client, ofOrg, ofRepo } = await setting();
  const before = clock.now;
  try {
    await client.put(ofRepo, { limit: 'collaborators_only', expiry: 'one_week' });
    await client.put(ofOrg, { limit: 'contributors_only', expiry: 'one_day' });
    clock.now = new Date(before.getTime() + 86_400_000 - 1);
    expect((await client.get(ofRepo)).body.origin).toBe('organization');
    clock.now = new Date(before.getTime() + 86_400_000);
    expect((await client.get(ofOrg)).body).toEqual({});
    expect((await client.get(ofRepo)).body).toMatchObject({ origin: 'repository', limit: 'collaborators_only' });
    expect((await client.put(ofRepo, { limit: 'existing_users' })).status).toBe(200);
    expect((await client.delete(ofOrg)).status).toBe(204);
    expect(await eventsOf(w, acme)).not.toContain('interaction_limit.removed');
    expect((await client.put(ofOrg, { limit: 'existing_users', expiry: 'three_days' })).body.expires_at).toBe(
      '2026-01-05T00:00:00Z',
    );
  } finally {
    clock.now = before;
  }
});

test('owners and administrators set limits, with a token that may; others are refused', async () => {
  const { owner, acme, engine, ofOrg, ofRepo } = await setting();
  const [grace, writer, stranger] = [await user(), await user(), await user()];
  await member(acme, grace);
  await collaborator(engine, writer, 'maintain');
  const wanted = { limit: 'existing_users' };
  await unchanged(tables, async () => {
    for (const who of [grace, writer, stranger]) {
      const client = await as(who);
      for (const path of [ofOrg, ofRepo]) {
        expect((await client.get(path)).status).toBe(404);
        expect((await client.put(path, wanted)).status).toBe(403);
        expect((await client.delete(path)).status).toBe(403);
      }
    }
    const reading = await as(await fineGrained(owner, acme, { organization_administration: 'read', administration: 'read' }));
    for (const path of [ofOrg, ofRepo]) {
      expect((await reading.get(path)).status).toBe(200);
      expect((await reading.put(path, wanted)).status).toBe(403);
    }
  });
  const app = await installApp(w, { on: acme, permissions: { organization_administration: 'write', administration: 'write' } });
  for (const token of [app.token, await app.userToken(owner)]) {
    const client = await as(token);
    expect((await client.put(ofRepo, wanted)).body.origin).toBe('repository');
    expect((await client.put(ofOrg, wanted)).body.origin).toBe('organization');
    expect((await client.delete(ofOrg)).status).toBe(204);
  }
});

test('of many settings at once, one stays', async () => {
  const { client, ofOrg } = await setting();
  const limits = ['existing_users', 'contributors_only', 'collaborators_only', 'existing_users'];
  const replies = await Promise.all(limits.map((limit) => client.put(ofOrg, { limit })));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(replies.map(({ body }) => body)).toContainEqual((await client.get(ofOrg)).body);
});

test('a limit moves with its repository and goes with it, and an organization takes its own along', async () => {
  const { owner, acme, engine, ofOrg, ofRepo, client } = await setting();
  const limits = async () => (await w.db.selectFrom('interaction_limits').select('id').execute()).length;
  const before = await limits();
  const { body } = await client.put(ofRepo, { limit: 'contributors_only' });
  await client.put(ofOrg, { limit: 'existing_users' });
  expect((await client.post(`/repos/${acme.login}/${engine.name}/transfer`, { new_owner: owner.login })).status).toBe(202);
  const moved = `/repos/${owner.login}/${engine.name}`;
  expect((await client.get(`${moved}/interaction-limits`)).body).toEqual(body);
  expect((await client.put(`${moved}/interaction-limits`, { limit: 'existing_users' })).status).toBe(200);
  expect((await client.delete(moved)).status).toBe(204);
  expect((await client.delete(`/orgs/${acme.login}`)).status).toBe(202);
  await completeDeletions(w);
  expect(await limits()).toBe(before);
});
