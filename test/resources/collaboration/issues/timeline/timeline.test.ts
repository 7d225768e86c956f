import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { as, user, repo, clock, statements } = await world();

test('the timeline has what happened and what was said, in its order, for as many statements for 2 as for 40', async () => {
  const owner = await user();
  const engine = await repo(owner);
  const issue = `/repos/${owner.login}/${engine.name}/issues/1`;
  const client = await as(owner);
  const later = () => {
    clock.now = new Date(clock.now.getTime() + 1_000);
  };
  await client.post(`/repos/${owner.login}/${engine.name}/issues`, { title: 'It stalls' });
  later();
  await client.post(`${issue}/comments`, { body: 'Here, too.' });
  later();
  await client.patch(issue, { state: 'closed' });
  const few = await statements(owner, `${issue}/timeline`);
  const { body } = await client.get(`${issue}/timeline`);
  expect(body.map(({ event }: { event: string }) => event)).toEqual(['commented', 'closed']);
  expect(body[0]).toMatchObject({ body: 'Here, too.', actor: { login: owner.login }, user: { login: owner.login } });

  for (let i = 0; i < 19; i++) {
    later();
    await client.post(`${issue}/comments`, { body: `Again, ${i}` });
    await client.patch(issue, { state: i % 2 ? 'closed' : 'open' });
  }
  expect(await statements(owner, `${issue}/timeline?per_page=40`)).toBe(few);
  const kinds = async (query: string) =>
    new Set((await client.get(`${issue}/timeline?per_page=40${query}`)).body.map(({ event }: { event: string }) => event));
  expect(await kinds('')).toEqual(new Set(['commented', 'closed', 'reopened']));
  expect(await kinds('&exclude=commented')).toEqual(new Set(['closed', 'reopened']));
  expect(await kinds('&exclude=closed,%20reopened,unknown')).toEqual(new Set(['commented']));
  expect(await kinds('&exclude=closed,commented,reopened')).toEqual(new Set());
  expect(await statements(owner, `${issue}/timeline?per_page=40&exclude=closed`)).toBe(few);
  const { body: next, headers } = await client.get(`${issue}/timeline?exclude=commented&per_page=3&page=2`);
  expect(next.map(({ event }: { event: string }) => event)).toEqual(['reopened', 'closed', 'reopened']);
  expect(headers.link).toContain('exclude=commented');
  const second = await client.get(`${issue}/timeline?per_page=3&page=2`);
  expect(second.body.map(({ event }: { event: string }) => event)).toEqual(['commented', 'closed', 'commented']);
});
