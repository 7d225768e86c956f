import { expect, test } from 'vitest';
import { addCommit, diskOf } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';
import { pullSetting, push } from './setting.ts';

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

test('the base of a closed pull request stays as it is, and it becomes no draft', async () => {
  const { client, path } = await opened();
  expect(await client.patch(path, { state: 'closed' })).toMatchObject({ status: 200 });
  await w.unchanged(['issues', 'pull_requests', 'issue_events'], async () => {
    for (const [field, value] of [
      ['base', 'release'],
      ['draft', true],
    ] as const)
      expect(await client.patch(path, { [field]: value })).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  });
});

test('the base must have a history in common with the head, and not all of it', async () => {
  const { client, path, base, ada, repo, tip } = await opened();
  await push(w, ada, repo, 'other', await addCommit(diskOf(w, repo), { files: { 'z.txt': 'z' } }));
  await push(w, ada, repo, 'same', await tip('topic'));
  await w.unchanged(['issues', 'pull_requests', 'issue_events'], async () => {
    for (const [to, message] of [
      ['other', 'There is no common commit of other and topic'],
      ['same', "There are no new commits between base branch 'same' and head branch 'topic'"],
    ])
      expect(await client.patch(path, { base: to })).toMatchObject({
        status: 422,
        body: { errors: [{ field: 'base', message }] },
      });
    expect(await client.post(`${base}/pulls`, { title: 'Join', head: 'other', base: 'main' })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'head', message: 'main and other have entirely different commit histories' }] },
    });
    expect(await client.post(`${base}/pulls`, { title: ' ', head: 'topic', base: 'release' })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'title', code: 'missing_field' }] },
    });
  });
});
