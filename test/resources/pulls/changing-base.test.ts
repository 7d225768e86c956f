import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { pullSetting } from './setting.ts';

const w = await world();

/** A pull request of a branch, and a second branch that it may be moved to. */
async function opened() {
  const at = await pullSetting(w);
  await at.commit('topic', { 'b.txt': 'b\n' });
  await at.commit('release', { 'c.txt': 'c\n' });
  const number = await at.open('topic');
  return { ...at, path: `${at.base}/pulls/${number}` };
}

test('the base branch is changed by who may write, and by the author, and by nobody else', async () => {
  const { client, path, repo } = await opened();
  const [triager, writer] = [await w.user(), await w.user()];
  await w.collaborator(repo, triager, 'triage');
  await w.collaborator(repo, writer, 'write');
  await w.unchanged(['issues', 'pull_requests', 'issue_events'], async () =>
    expect(await (await w.as(triager)).patch(path, { base: 'release' })).toMatchObject({ status: 403 }),
  );
  expect(await (await w.as(writer)).patch(path, { base: 'release' })).toMatchObject({ status: 200 });
  expect(await client.patch(path, { base: 'main' })).toMatchObject({ status: 200, body: { base: { ref: 'main' } } });
});

test('a pull request does not move to a base that has one of the same branch', async () => {
  const { client, path, base, open } = await opened();
  const other = await open('topic', { base: 'release' });
  await w.unchanged(['issues', 'pull_requests', 'issue_events'], async () =>
    expect(await client.patch(path, { base: 'release' })).toMatchObject({
      status: 422,
      body: { errors: [{ resource: 'PullRequest' }] },
    }),
  );
  expect(await client.patch(`${base}/pulls/${other}`, { state: 'closed' })).toMatchObject({ status: 200 });
  expect(await client.patch(path, { base: 'release' })).toMatchObject({ status: 200, body: { base: { ref: 'release' } } });
});

test('the base of a closed pull request stays as it is', async () => {
  const { client, path } = await opened();
  expect(await client.patch(path, { state: 'closed' })).toMatchObject({ status: 200 });
  expect(await client.patch(path, { base: 'release' })).toMatchObject({ status: 422, body: { errors: [{ field: 'base' }] } });
});
