import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo, collaborator, fineGrained, unchanged } = w;

async function administering() {
  const owner = await user();
  const acme = await org(owner);
  const engine = await repo(acme, { by: owner });
  const base = `/repos/${acme.login}/${engine.name}/interaction-limits/pulls`;
  return { owner, acme, engine, client: await as(owner), cap: `${base}/creation-cap`, list: `${base}/bypass-list` };
}

test('a repository follows the cap of its organization until it has one of its own', async () => {
  const { client, acme, cap } = await administering();
  const ofOrg = `/orgs/${acme.login}/interaction-limits/pulls/creation-cap`;
  expect((await client.get(cap)).body).toEqual({ enabled: false, max_open_pull_requests: 10 });
  await client.patch(ofOrg, { enabled: true, max_open_pull_requests: 3 });
  expect((await client.get(cap)).body).toEqual({ enabled: true, max_open_pull_requests: 3 });
  expect((await client.patch(cap, { enabled: false })).body).toEqual({ enabled: false, max_open_pull_requests: 3 });
  await client.patch(ofOrg, { enabled: true, max_open_pull_requests: 5 });
  expect((await client.get(cap)).body).toEqual({ enabled: false, max_open_pull_requests: 3 });
  expect((await client.patch(cap, { enabled: true, max_open_pull_requests: 7 })).body.max_open_pull_requests).toBe(7);
  expect((await client.patch(cap, { enabled: true })).body.max_open_pull_requests).toBe(7);
});

test('the repository of a user has a cap, too', async () => {
  const owner = await user();
  const { name } = await repo(owner);
  const cap = `/repos/${owner.login}/${name}/interaction-limits/pulls/creation-cap`;
  const client = await as(owner);
  expect((await client.get(cap)).body).toEqual({ enabled: false, max_open_pull_requests: 10 });
  expect((await client.patch(cap, { enabled: true })).body).toEqual({ enabled: true, max_open_pull_requests: 10 });
});

test('users come on the list of those for whom the cap does not hold, and off it', async () => {
  const { client, list } = await administering();
  const [grace, joan] = [await user(), await user()];
  expect((await client.get(list)).body).toEqual([]);
  expect((await client.put(list, { users: [grace.login.toUpperCase()] })).status).toBe(204);
  expect((await client.put(list, { users: [joan.login, grace.login, joan.login] })).status).toBe(204);
  const logins = async () => (await client.get(list)).body.map(({ login }: { login: string }) => login);
  expect(await logins()).toEqual([grace.login, joan.login]);
  expect((await client.delete(list, { users: [grace.login, 'nobody-here'] })).status).toBe(204);
  expect(await logins()).toEqual([joan.login]);
});

test('of two who are put on a full list at once, none is the hundred-and-first', async () => {
  const { client, list } = await administering();
  const many: string[] = [];
  for (let made = 0; made < 102; made++) many.push((await user()).login);
  expect((await client.put(list, { users: many.slice(0, 99) })).status).toBe(204);
  const replies = await Promise.all([99, 100, 101].map((at) => client.put(list, { users: [many[at]] })));
  expect(replies.map(({ status }) => status).sort()).toEqual([204, 422, 422]);
  expect((await client.get(list)).body).toHaveLength(100);
});

test('bad input and those who do not administer the repository change nothing', async () => {
  const { owner, acme, engine, client, cap, list } = await administering();
  const writer = await user();
  await collaborator(engine, writer, 'maintain');
  await unchanged(['events', 'pull_request_caps', 'pull_request_cap_bypasses'], async () => {
    for (const wrong of [{}, { enabled: 1 }, { enabled: true, max_open_pull_requests: 0 }])
      expect((await client.patch(cap, wrong)).status).toBe(422);
    for (const wrong of [{}, { users: 'ada' }, { users: ['nobody-here'] }, { users: [owner.login, acme.login] }])
      expect((await client.put(list, wrong)).status).toBe(422);
    expect((await client.delete(list, {})).status).toBe(422);
    const others = await as(writer);
    expect((await others.get(cap)).status).toBe(404);
    expect((await others.get(list)).status).toBe(404);
    expect((await others.patch(cap, { enabled: true })).status).toBe(403);
    expect((await others.put(list, { users: [writer.login] })).status).toBe(403);
    expect((await others.delete(list, { users: [writer.login] })).status).toBe(403);
    const reading = await as(await fineGrained(owner, acme, { administration: 'read' }, [engine]));
    expect((await reading.get(cap)).status).toBe(403);
    expect((await reading.get(list)).status).toBe(403);
  });
});
