import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { forkSetting, pullSetting } from './setting.ts';

const w = await world();

/** A repository whose organization lets strangers have two open pull requests, and a stranger's fork with branches. */
async function capped() {
  const at = await pullSetting(w, { ownedBy: 'organization' });
  const cap = `/orgs/${at.owner.login}/interaction-limits/pulls/creation-cap`;
  await at.client.patch(cap, { enabled: true, max_open_pull_requests: 2 });
  const fork = await forkSetting(w, at, await w.user());
  for (const branch of ['one', 'two', 'three', 'four']) await fork.commit(branch);
  return { ...at, fork, cap, own: `${at.base}/interaction-limits/pulls` };
}

test('who may not write has as many open pull requests as the cap allows, and no more', async () => {
  const { client, base, fork } = await capped();
  expect((await fork.open('one')).status).toBe(201);
  expect((await fork.open('two')).status).toBe(201);
  await w.unchanged(['issues', 'pull_requests', 'events', 'repositories'], async () => {
    expect(await fork.open('three')).toMatchObject({
      status: 403,
      body: { message: 'You may have at most 2 open pull requests in this repository.' },
    });
  });
  await client.patch(`${base}/pulls/1`, { state: 'closed' });
  expect((await fork.open('three')).status).toBe(201);
});

test('of pull requests that are opened at once, no more come than the cap allows', async () => {
  const { fork } = await capped();
  const replies = await Promise.all(['one', 'two', 'three', 'four'].map((branch) => fork.open(branch)));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403]);
});

test('an issue that becomes a pull request counts, too', async () => {
  const { base, fork } = await capped();
  await fork.open('one');
  await fork.open('two');
  const { body } = await fork.client.post(`${base}/issues`, { title: 'Three' });
  expect((await fork.open('three', { title: undefined, issue: body.number })).status).toBe(403);
  expect((await fork.client.get(`${base}/issues/${body.number}`)).body).not.toHaveProperty('pull_request');
});

test('the cap does not hold for writers, for those who bypass it, and where the repository has switched it off', async () => {
  const { client, repo, fork, own } = await capped();
  await fork.open('one');
  await fork.open('two');
  await client.put(`${own}/bypass-list`, { users: [fork.user.login] });
  expect((await fork.open('three')).status).toBe(201);
  await client.delete(`${own}/bypass-list`, { users: [fork.user.login] });
  expect((await fork.open('four')).status).toBe(403);
  await client.patch(`${own}/creation-cap`, { enabled: true, max_open_pull_requests: 3 });
  expect((await fork.open('four')).status).toBe(403);
  await client.patch(`${own}/creation-cap`, { enabled: false });
  expect((await fork.open('four')).status).toBe(201);
  await client.patch(`${own}/creation-cap`, { enabled: true, max_open_pull_requests: 1 });
  await w.collaborator(repo, fork.user, 'write');
  await fork.commit('five');
  expect((await fork.open('five')).status).toBe(201);
});
