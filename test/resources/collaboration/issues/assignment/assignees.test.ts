import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, repo, collaborator, unchanged } = w;

async function place() {
  const [owner, ada, bob] = [await user(), await user(), await user()];
  const engine = await repo(owner);
  for (const one of [ada, bob]) await collaborator(engine, one, 'write');
  return { ada: ada.login, bob: bob.login, client: await as(owner), path: `/repos/${owner.login}/${engine.name}/issues` };
}

const logins = ({ body }: { body: { assignees: { login: string }[] } }): string[] =>
  body.assignees.map(({ login }) => login).toSorted();

test('assignees are named by their logins, or by objects that have these', async () => {
  const { ada, bob, client, path } = await place();
  expect(logins(await client.post(path, { title: 'It stalls', assignees: [{ login: ada }] }))).toEqual([ada]);
  const both = [ada, bob].toSorted();
  expect(logins(await client.post(`${path}/1/assignees`, { assignees: [{ login: bob, suggest: false }, ada] }))).toEqual(both);
  expect(logins(await client.delete(`${path}/1/assignees`, { assignees: [{ login: ada }] }))).toEqual([bob]);
  expect(
    logins(await client.patch(`${path}/1`, { assignees: [{ login: ada, rationale: 'Knows it', confidence: 'high' }] })),
  ).toEqual([ada]);
});

test('what is meant as a suggestion is refused, and changes nothing', async () => {
  const { ada, client, path } = await place();
  await client.post(path, { title: 'It stalls' });
  const assignees = [{ login: ada, suggest: true }];
  const labels = [{ name: 'bug', suggest: true }];
  await unchanged(['issue_assignees', 'issue_labels', 'labels', 'issue_events', 'events'], async () => {
    for (const attempt of [
      () => client.patch(`${path}/1`, { assignees }),
      () => client.post(`${path}/1/assignees`, { assignees }),
      () => client.patch(`${path}/1`, { labels }),
      () => client.post(`${path}/1/labels`, { labels }),
    ])
      expect((await attempt()).status).toBe(422);
  });
});
