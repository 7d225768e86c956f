import { expect, test } from 'vitest';
import { heard, listening, parts } from '#test/resources/platform/webhooks/listening.ts';
import { commitFiles } from '#test/support/commit.ts';

const { here, owner, org, client, target } = await listening();
const repo = await here.repo(org, { by: owner });
await commitFiles(here, repo, { 'a.txt': 'a' });
const base = `/repos/${org.login}/${repo.name}`;
const told = () => heard(here, target);
await told();

test('hooks are told of each thing that happens to a pull request, as the public schemas describe it', async () => {
  const main = (await client.get(`${base}/git/ref/heads/main`)).body.object.sha;
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/topic', sha: main });
  await client.put(`${base}/contents/b.txt`, { message: 'Add b', content: 'Yg==', branch: 'topic' });
  await told();
  await client.post(`${base}/pulls`, { title: 'Add b', head: 'topic', base: 'main', draft: true });
  const opened = await told();
  expect(opened).toMatchObject({
    'pull_request.opened': { number: 1, pull_request: { number: 1, draft: true, title: 'Add b' }, ...parts(org, owner) },
  });
  const pull = `${base}/pulls/1`;
  const issue = `${base}/issues/1`;
  await client.patch(pull, { title: 'Add b.txt', draft: false });
  await client.patch(issue, { labels: ['bug'], assignees: [owner.login] });
  await client.put(`${issue}/lock`, {});
  await client.delete(`${issue}/lock`);
  expect(Object.keys(await told()).sort()).toEqual([
    'pull_request.assigned',
    'pull_request.edited',
    'pull_request.labeled',
    'pull_request.locked',
    'pull_request.ready_for_review',
    'pull_request.unlocked',
  ]);
  await client.patch(pull, { state: 'closed' });
  await client.patch(pull, { state: 'open', draft: true });
  await client.patch(issue, { labels: [], assignees: [] });
  await client.post(`${base}/milestones`, { title: 'v1' });
  await client.patch(issue, { milestone: 1 });
  await client.patch(issue, { milestone: null });
  await client.patch(pull, { draft: false });
  expect(
    Object.keys(await told())
      .filter((name) => name.startsWith('pull'))
      .sort(),
  ).toEqual([
    'pull_request.closed',
    'pull_request.converted_to_draft',
    'pull_request.demilestoned',
    'pull_request.milestoned',
    'pull_request.ready_for_review',
    'pull_request.reopened',
    'pull_request.unassigned',
    'pull_request.unlabeled',
  ]);
  await client.put(`${base}/contents/c.txt`, { message: 'Add c', content: 'Yw==', branch: 'topic' });
  await here.settle();
  const synchronized = (await told())['pull_request.synchronize'];
  expect(synchronized).toMatchObject({ before: opened['pull_request.opened'].pull_request.head.sha });
  expect(synchronized.after).toBe(synchronized.pull_request.head.sha);
  await client.post(`${issue}/comments`, { body: 'Fine.' });
  expect(await told()).toMatchObject({ 'issue_comment.created': { issue: { pull_request: { merged_at: null } } } });
  await client.put(`${pull}/merge`);
  const { 'pull_request.closed': merged } = await told();
  expect(merged).toMatchObject({ pull_request: { merged: true, merged_by: { login: owner.login } } });
});
