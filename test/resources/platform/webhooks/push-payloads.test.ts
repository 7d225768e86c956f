import { expect, test } from 'vitest';
import { fresh } from '#test/support/world.ts';
import { heard, listening } from './listening.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const none = '0'.repeat(40);

/** A repository of the organization with one commit. */
async function withCommit() {
  const at = await listening();
  const { body } = await at.client.post(`/orgs/${at.org.login}/repos`, { name: fresh('repo'), auto_init: true });
  const first = (await heard(at.here, at.target)).push.after;
  return { ...at, path: `/repos/${body.full_name}`, first, told: () => heard(at.here, at.target) };
}

test('commits tell what they added, changed and removed, oldest first', async () => {
  const { client, path, first, told, owner, org } = await withCommit();
  const put = await client.put(`${path}/contents/a%20b/é.txt`, { message: 'Add\n\nWhy.', content: base64('one') });
  const added = await told();
  expect(added.push).toMatchObject({
    ref: 'refs/heads/main',
    before: first,
    after: put.body.commit.sha,
    created: false,
    deleted: false,
    forced: false,
    base_ref: null,
    commits: [
      { id: put.body.commit.sha, message: 'Add\n\nWhy.', added: ['a b/é.txt'], modified: [], removed: [], distinct: true },
    ],
    pusher: { name: owner.login },
    organization: { login: org.login },
  });
  expect(added.push.compare).toMatch(`/compare/${first.slice(0, 12)}...${put.body.commit.sha.slice(0, 12)}`);
  expect(Object.keys(added)).toEqual(['push']);

  const { sha } = put.body.content;
  await client.put(`${path}/contents/a%20b/é.txt`, { message: 'Change', content: base64('two'), sha });
  expect((await told()).push.commits).toMatchObject([{ added: [], modified: ['a b/é.txt'], removed: [] }]);
  const { body: file } = await client.get(`${path}/contents/a%20b/é.txt`);
  await client.delete(`${path}/contents/a%20b/é.txt`, { message: 'Remove', sha: file.sha });
  expect((await told()).push.commits).toMatchObject([{ added: [], modified: [], removed: ['a b/é.txt'] }]);
});

test('branches and tags come and go; a new branch tells what the default branch doesn’t have', async () => {
  const { client, path, first, told } = await withCommit();
  await client.post(`${path}/git/refs`, { ref: 'refs/heads/topic/one', sha: first });
  expect(await told()).toMatchObject({
    create: { ref: 'topic/one', ref_type: 'branch', master_branch: 'main', pusher_type: 'user' },
    push: { ref: 'refs/heads/topic/one', before: none, after: first, created: true, commits: [], head_commit: null },
  });
  const { body } = await client.put(`${path}/contents/x`, { message: 'On a branch', content: base64('x'), branch: 'topic/one' });
  await told();
  await client.post(`${path}/git/refs`, { ref: 'refs/heads/second', sha: body.commit.sha });
  expect((await told()).push).toMatchObject({ created: true, commits: [{ message: 'On a branch' }] });
  await client.post(`${path}/git/refs`, { ref: 'refs/tags/v1', sha: first });
  expect(await told()).toMatchObject({
    create: { ref: 'v1', ref_type: 'tag' },
    push: { ref: 'refs/tags/v1', created: true, commits: [], head_commit: null },
  });
  await client.delete(`${path}/git/refs/heads/second`);
  expect(await told()).toMatchObject({
    delete: { ref: 'second', ref_type: 'branch' },
    push: { before: body.commit.sha, after: none, deleted: true, commits: [], head_commit: null },
  });
});

test('a branch that is set back tells so', async () => {
  const { client, path, first, told } = await withCommit();
  const { body } = await client.put(`${path}/contents/x`, { message: 'Second', content: base64('x') });
  await told();
  await client.patch(`${path}/git/refs/heads/main`, { sha: first, force: true });
  expect((await told()).push).toMatchObject({ before: body.commit.sha, after: first, forced: true, commits: [] });
});
