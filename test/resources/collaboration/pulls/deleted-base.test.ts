// Pull requests whose base is deleted, after a pull request has brought it into another branch.
import { expect, test } from 'vitest';
import { heard } from '#test/resources/platform/webhooks/listening.ts';
import { receiver } from '#test/support/receiver.ts';
import { world } from '#test/support/world.ts';
import { forkSetting, type PullSetting, pullSetting } from './setting.ts';

const w = await world({ vocabulary: 'github' });

/** Two branches, each on top of the one before, with a pull request of each into that one. */
async function stacked() {
  const setting = await pullSetting(w);
  const { client, base, commit, open, tip } = setting;
  await commit('lower', { 'lower.txt': 'l\n' });
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/upper', sha: await tip('lower') });
  await commit('upper', { 'upper.txt': 'u\n' });
  const lower = await open('lower');
  const upper = await open('upper', { base: 'lower' });
  await w.settle();
  w.clock.now = new Date(w.clock.now.getTime() + 2_000);
  return { ...setting, lower, upper };
}

async function show({ client, base }: PullSetting, number: number) {
  await w.settle();
  const { body: events } = await client.get(`${base}/issues/${number}/events`);
  const { body } = await client.get(`${base}/pulls/${number}`);
  return { pull: body, events: events.map(({ event }: { event: string }) => event) };
}

test.each([true, false])('they are for the base of that one from now on: deleted by the server %s', async (byServer) => {
  const here = await stacked();
  const { client, base, lower, upper, tip } = here;
  await client.patch(base, { delete_branch_on_merge: byServer });
  const before = (await client.get(`${base}/pulls/${upper}`)).body.base.sha;
  const target = await receiver();
  const config = { url: target.url, content_type: 'json' };
  await client.post(`${base}/hooks`, { name: 'web', config, events: ['pull_request'] });
  await w.settle();
  expect((await client.put(`${base}/pulls/${lower}/merge`)).status).toBe(200);
  if (!byServer) expect((await client.delete(`${base}/git/refs/heads/lower`)).status).toBe(204);
  const { pull, events } = await show(here, upper);
  expect((await client.get(`${base}/git/ref/heads/lower`)).status).toBe(404);
  expect(pull).toMatchObject({
    state: 'open',
    base: { ref: 'main', sha: await tip('main') },
    commits: 1,
    changed_files: 1,
    mergeable: true,
  });
  expect(events).toEqual(['automatic_base_change_succeeded']);
  const timeline = (await client.get(`${base}/issues/${upper}/timeline`)).body;
  expect(timeline.map(({ event }: { event: string }) => event)).toEqual(['committed', 'automatic_base_change_succeeded']);
  expect((await heard(w, target))['pull_request.edited']).toMatchObject({
    number: upper,
    changes: { base: { ref: { from: 'lower' }, sha: { from: before } } },
  });
  expect((await client.put(`${base}/pulls/${upper}/merge`)).status).toBe(200);
  expect((await client.get(`${base}/contents/upper.txt`)).status).toBe(200);
});

test('those of forks follow, too, and one of two that ask for the same is closed', async () => {
  const here = await stacked();
  const { client, base, lower, upper } = here;
  const fork = await forkSetting(w, here, await w.user());
  await fork.commit('fix');
  const { body: first } = await fork.open('fix', { base: 'lower' });
  const { body: second } = await fork.open('fix');
  await client.put(`${base}/pulls/${lower}/merge`);
  await client.delete(`${base}/git/refs/heads/lower`);
  expect(await show(here, Number(first.number))).toMatchObject({
    pull: { state: 'closed', base: { ref: 'lower' } },
    events: ['automatic_base_change_failed', 'closed'],
  });
  expect(await show(here, Number(second.number))).toMatchObject({ pull: { state: 'open', base: { ref: 'main' } }, events: [] });
  expect(await show(here, upper)).toMatchObject({ pull: { state: 'open', base: { ref: 'main' } } });
});

test('what has nothing to bring to the new base, or is that itself, is closed', async () => {
  const here = await stacked();
  const { client, base, lower, open, commit, tip } = here;
  await client.put(`${base}/pulls/${lower}/merge`);
  await commit('main', { 'main.txt': 'm\n' });
  const back = await open('main', { base: 'lower' });
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/same', sha: await tip('main') });
  const same = await open('same', { base: 'lower' });
  await w.settle();
  await client.delete(`${base}/git/refs/heads/lower`);
  for (const number of [back, same])
    expect(await show(here, number)).toMatchObject({
      pull: { state: 'closed', base: { ref: 'lower' } },
      events: ['automatic_base_change_failed', 'closed'],
    });
});

test('without such a merge, they are closed', async () => {
  const here = await stacked();
  const { client, base, lower, upper } = here;
  await client.patch(`${base}/pulls/${lower}`, { state: 'closed' });
  await client.delete(`${base}/git/refs/heads/lower`);
  expect(await show(here, upper)).toMatchObject({ pull: { state: 'closed', base: { ref: 'lower' } }, events: ['closed'] });
});
