import { describe, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { countStatements } from '#database/client.ts';
import { noreplyAddress } from '#lib/noreply.ts';
import { allEndpoints } from '#resources/all.ts';
import { explain } from '#server/explain.ts';
import { installApp } from '#test/support/apps.ts';
import type { Client } from '#test/support/client.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo, member, collaborator, token, settle, clock } = w;

const longAgo = { created_at: new Date('2025-06-01T00:00:00Z') };
const host = new URL(w.url).hostname;
const groups = ['existing_users', 'contributors_only', 'collaborators_only'];

/** A public repository of an organization; `commit` adds a file in the name of an address. */
async function setting() {
  const owner = await user();
  const acme = await org(owner);
  const engine = await repo(acme, { by: owner });
  const client = await as(owner);
  const path = `/repos/${acme.login}/${engine.name}`;
  let files = 0;
  const commit = async (email: string, branch = 'main') => {
    const file = { message: 'Add a file', content: 'YQ==', branch, author: { name: 'Somebody', email } };
    expect((await client.put(`${path}/contents/${++files}.txt`, file)).status).toBe(201);
  };
  const limit = async (group: string) => {
    expect((await client.put(`${path}/interaction-limits`, { limit: group, expiry: 'one_week' })).status).toBe(200);
  };
  return { owner, acme, engine, client, path, commit, limit, ...(await conversation({ client, path })) };
}

type Place = { client: Client; path: string };

/** An issue with a comment, and all interactions that there are with them. */
async function conversation({ client, path }: Place) {
  const issue = `${path}/issues/${(await client.post(`${path}/issues`, { title: 'It stalls' })).body.number}`;
  const comment = `${path}/issues/comments/${(await client.post(`${issue}/comments`, { body: 'Here, too.' })).body.id}`;
  const interactions = [
    [`${path}/issues`, { title: 'Another' }],
    [`${issue}/comments`, { body: 'And here.' }],
    [`${issue}/reactions`, { content: 'heart' }],
    [`${comment}/reactions`, { content: 'eyes' }],
  ] as const;
  /** The statuses of all interactions. */
  const interact = async (who: Account | string): Promise<number[]> => {
    const guest = await as(who);
    const statuses: number[] = [];
    for (const [to, body] of interactions) statuses.push((await guest.post(to, body)).status);
    return statuses;
  };
  return { issue, comment, interactions, interact };
}

const done = [201, 201, 201, 201];
const refused = [403, 403, 403, 403];

describe('each limit lets in', async () => {
  const place = await setting();
  const { owner, acme, engine, client, path, commit, limit } = place;
  const [reader, writer, insider] = [await user(), await user(), await user()];
  const byNoreply = await user();
  const withRole = { owner, reader, writer, insider };
  const authors = { byNoreply, byVerifiedAddress: await user(undefined, { email: "Ada.O'Neil@here.example" }) };
  const old = { old: await user(undefined, longAgo) };
  const others = {
    newcomer: await user(),
    claimsTheAddressOfAnAuthor: await user(),
    authorOfAnotherBranch: await user(),
    authorElsewhere: await user(),
  };
  await collaborator(engine, reader, 'read');
  await collaborator(engine, writer, 'write');
  await member(acme, insider);
  await (await as(others.claimsTheAddressOfAnAuthor)).post('/user/emails', { emails: ['grace@here.example'] });
  await commit('grace@here.example');
  await commit("ada.o'neil@here.example");
  await commit(noreplyAddress(byNoreply, host));
  const { body: main } = await client.get(`${path}/git/ref/heads/main`);
  await client.post(`${path}/git/refs`, { ref: 'refs/heads/topic', sha: main.object.sha });
  await commit(noreplyAddress(others.authorOfAnotherBranch, host), 'topic');
  await (await setting()).commit(noreplyAddress(others.authorElsewhere, host));
  await settle();

  test.each([
    ['existing_users', { ...withRole, ...authors, ...old }],
    ['contributors_only', { ...withRole, ...authors }],
    ['collaborators_only', withRole],
  ])('%s', async (group, included) => {
    const { interact } = await conversation(place);
    await limit(group);
    for (const [name, who] of Object.entries({ ...withRole, ...authors, ...old, ...others }))
      expect([name, await interact(who)]).toEqual([name, name in included ? done : refused]);
  });
});

test('a member to whom the organization gives no role is none of its collaborators', async () => {
  const { acme, client, limit, interact } = await setting();
  const insider = await user();
  await member(acme, insider);
  await client.patch(`/orgs/${acme.login}`, { default_repository_permission: 'none' });
  await limit('collaborators_only');
  expect(await interact(insider)).toEqual(refused);
  await client.patch(`/orgs/${acme.login}`, { default_repository_permission: 'read' });
  expect(await interact(insider)).toEqual(done);
});

test('the refusal says who may interact, and until when', async () => {
  const { client, issue, path, limit } = await setting();
  await limit('collaborators_only');
  const stranger = await as(await user());
  const message = 'Interactions in this repository are limited to collaborators until 2026-01-08T00:00:00Z.';
  expect(await stranger.post(`${issue}/comments`, { body: 'x' })).toMatchObject({ status: 403, body: { message } });
  await client.put(`${path}/interaction-limits`, { limit: 'existing_users' });
  expect((await stranger.post(`${path}/issues`, { title: 'x' })).body.message).toContain('older than a day');
});

test('a limit lasts until its time, and an account becomes old enough', async () => {
  const { limit, ...place } = await setting();
  const stranger = await user();
  const begin = clock.now;
  try {
    await limit('existing_users');
    expect(await place.interact(stranger)).toEqual(refused);
    clock.now = new Date(begin.getTime() + 86_400_000 - 1);
    expect(await place.interact(stranger)).toEqual(refused);
    clock.now = new Date(begin.getTime() + 86_400_000);
    expect(await place.interact(stranger)).toEqual(done);
    clock.now = begin;
    await limit('collaborators_only');
    clock.now = new Date(begin.getTime() + 7 * 86_400_000 - 1);
    expect(await (await conversation(place)).interact(stranger)).toEqual(refused);
    clock.now = new Date(begin.getTime() + 7 * 86_400_000);
    expect(await (await conversation(place)).interact(stranger)).toEqual(done);
  } finally {
    clock.now = begin;
  }
});

test('the limit of an organization holds in all of its repositories, and comes before theirs', async () => {
  const { acme, owner, client, path, interact, limit } = await setting();
  const other = await repo(acme, { by: owner });
  const stranger = await user(undefined, longAgo);
  await limit('existing_users');
  await client.put(`/orgs/${acme.login}/interaction-limits`, { limit: 'collaborators_only' });
  expect(await interact(stranger)).toEqual(refused);
  expect((await (await as(stranger)).post(`/repos/${acme.login}/${other.name}/issues`, { title: 'x' })).status).toBe(403);
  await client.put(`/orgs/${acme.login}/interaction-limits`, { limit: 'existing_users' });
  expect((await client.put(`${path}/interaction-limits`, { limit: 'collaborators_only' })).status).toBe(409);
  expect(await interact(stranger)).toEqual(done);
});

test('an installation of an app is let in by its permission, and a user of the app as that user', async () => {
  const { acme, limit, interact } = await setting();
  await limit('collaborators_only');
  const app = await installApp(w, { on: acme, permissions: { issues: 'write' } });
  expect(await interact(await app.userToken(await user()))).toEqual(refused);
  expect(await interact(app.token)).toEqual(done);
});

test('a limit hinders nothing but new interactions', async () => {
  const { client, issue, path, limit } = await setting();
  const stranger = await as(await user());
  const own = (await stranger.post(`${path}/issues`, { title: 'Mine' })).body;
  const { id } = (await stranger.post(`${issue}/comments`, { body: 'Mine.' })).body;
  const reaction = (await stranger.post(`${issue}/reactions`, { content: 'eyes' })).body;
  await limit('collaborators_only');
  expect((await stranger.get(issue)).status).toBe(200);
  expect((await stranger.patch(`${path}/issues/${own.number}`, { title: 'Changed' })).status).toBe(200);
  expect((await stranger.patch(`${path}/issues/comments/${id}`, { body: 'Changed.' })).status).toBe(200);
  expect((await stranger.delete(`${issue}/reactions/${reaction.id}`)).status).toBe(204);
  expect((await stranger.post(`${path}/issues/comments/${id}/reactions`, { content: 'eyes' })).status).toBe(403);
  await client.delete(`${path}/interaction-limits`);
  expect((await stranger.post(`${path}/issues/comments/${id}/reactions`, { content: 'eyes' })).status).toBe(201);
});

test('a private repository stays unknown, whatever limit it has', async () => {
  const owner = await user();
  const hidden = await repo(owner, { visibility: 'private' });
  const path = `/repos/${owner.login}/${hidden.name}`;
  await (await as(owner)).put(`${path}/interaction-limits`, { limit: 'collaborators_only' });
  expect((await (await as(await user())).post(`${path}/issues`, { title: 'x' })).status).toBe(404);
});

test('interactions cost one statement more under a limit than without one, and are refused by that', async () => {
  const { interactions, limit, commit, owner } = await setting();
  const author = await user();
  await commit(noreplyAddress(author, host));
  await settle();
  const count = async (who: Account): Promise<number[]> => {
    const headers = { authorization: `Bearer ${await token(who)}`, host: new URL(w.url).host };
    const [to] = interactions[0];
    await w.hearth.app.inject({ url: `/api/v3${to}`, headers }); // notes the first use of the token, which is not counted
    const counts: number[] = [];
    for (const [path, payload] of interactions) {
      const post = () => w.hearth.app.inject({ method: 'POST', url: `/api/v3${path}`, headers, payload });
      counts.push((await countStatements(post)).statements.length);
    }
    return counts;
  };
  // A second reaction of the same kind costs less than the first, so everybody has reacted before.
  await count(author);
  await count(owner);
  const withOneMore = (counts: number[]): number[] => counts.map((number) => number + 1);
  const [ofAuthor, ofOwner] = [withOneMore(await count(author)), withOneMore(await count(owner))];
  for (const group of groups) {
    await limit(group);
    expect([group, await count(owner)]).toEqual([group, ofOwner]);
    if (group !== 'collaborators_only') expect([group, await count(author)]).toEqual([group, ofAuthor]);
    expect([group, await count(await user())]).toEqual([group, [2, 2, 2, 2]]);
  }
});

test('every endpoint by which somebody says something is an interaction', () => {
  const saying = allEndpoints.filter(({ id }) =>
    /^(issues\/create(-comment)?|reactions\/create-for-.*|pulls\/create.*)$/.test(id),
  );
  expect(saying.length).toBeGreaterThan(3);
  expect(saying.filter(({ access }) => access.interaction !== true).map(({ id }) => id)).toEqual([]);
});

test('hearth explain tells of the limit', async () => {
  const { path, limit } = await setting();
  await limit('collaborators_only');
  const asked = { endpoints: allEndpoints, method: 'POST', path: `${path}/issues`, db: w.db, now: clock.now, url: w.url };
  const explained = await explain({ ...asked, authorization: `Bearer ${await token(await user())}` });
  expect(explained).toMatchObject({ allowed: false, status: 403 });
  expect(explained.steps.at(-1)).toMatchObject({ check: 'interaction limit', passed: false });
});
