import { expect, test } from 'vitest';
import { installApp } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, repo } = w;

test('everything that happens to an issue is told, in its order', async () => {
  const [owner, stranger] = [await user('ada'), await user()];
  const engine = await repo(owner);
  const path = `/repos/${owner.login}/${engine.name}`;
  const client = await as(owner);
  await client.post(`${path}/milestones`, { title: 'v1' });
  await client.post(`${path}/issues`, { title: 'It stalls' });
  await client.patch(`${path}/issues/1`, { title: 'It stalls at noon', milestone: 1, labels: ['bug'], assignees: ['ada'] });
  await client.put(`${path}/issues/1/lock`, { lock_reason: 'resolved' });
  await client.delete(`${path}/issues/1/lock`);
  await client.delete(`${path}/issues/1/labels/bug`);
  await client.patch(`${path}/issues/1`, { state: 'closed', state_reason: 'not_planned', milestone: null, assignees: [] });
  await client.patch(`${path}/issues/1`, { state: 'open' });

  const { body } = await (await as(stranger)).get(`${path}/issues/1/events`);
  const told = body.map(({ event, rename, milestone, label, assignee, lock_reason, state_reason }: Record<string, unknown>) =>
    JSON.parse(
      JSON.stringify({
        event,
        rename,
        milestone,
        label,
        assignee: (assignee as { login: string } | undefined)?.login,
        lock_reason,
        state_reason,
      }),
    ),
  );
  expect(told).toEqual([
    { event: 'renamed', rename: { from: 'It stalls', to: 'It stalls at noon' } },
    { event: 'milestoned', milestone: { title: 'v1' } },
    { event: 'labeled', label: { name: 'bug', color: 'd73a4a' } },
    { event: 'assigned', assignee: 'ada' },
    { event: 'locked', lock_reason: 'resolved' },
    { event: 'unlocked' },
    { event: 'unlabeled', label: { name: 'bug', color: 'd73a4a' } },
    { event: 'closed' },
    { event: 'demilestoned', milestone: { title: 'v1' } },
    { event: 'unassigned', assignee: 'ada' },
    { event: 'reopened' },
  ]);
  // As the public API describes it, the reason is in the timeline alone.
  const timeline = await client.get(`${path}/issues/1/timeline`);
  const reasons = timeline.body.filter(({ state_reason }: { state_reason?: string }) => state_reason !== undefined);
  expect(reasons).toMatchObject([
    { event: 'closed', state_reason: 'not_planned' },
    { event: 'reopened', state_reason: 'reopened' },
  ]);
  const closed = body.find(({ event }: { event: string }) => event === 'closed');
  expect((await client.get(`${path}/issues/events/${closed.id}`)).body).not.toHaveProperty('state_reason');
  const all = await client.get(`${path}/issues/events?per_page=2`);
  expect(all.body.map(({ event }: { event: string }) => event)).toEqual(['reopened', 'unassigned']);
  expect(all.body[0].issue).toMatchObject({ number: 1, title: 'It stalls at noon' });
  const one = await client.get(`${path}/issues/events/${body[0].id}`);
  expect(one.body).toMatchObject({ event: 'renamed', issue: { number: 1 }, actor: { login: 'ada' } });
  const other = await repo(owner);
  expect((await client.get(`/repos/${owner.login}/${other.name}/issues/events/${body[0].id}`)).status).toBe(404);
});

test('what an app did names the app', async () => {
  const owner = await user();
  const engine = await repo(owner);
  const path = `/repos/${owner.login}/${engine.name}`;
  const { token, bot } = await installApp(w, { on: owner, permissions: { issues: 'write' } });
  const app = await as(token);
  const { body } = await app.post(`${path}/issues`, { title: 'By an app' });
  expect(body.performed_via_service_app.slug).toBe(bot.login.replace('[bot]', ''));
  await app.patch(`${path}/issues/1`, { state: 'closed' });
  expect((await app.get(`${path}/issues/1/events`)).body[0].performed_via_service_app.id).toBe(body.performed_via_service_app.id);
  expect((await (await as(owner)).post(`${path}/issues/1/comments`, { body: 'x' })).body.performed_via_service_app).toBeNull();
});
