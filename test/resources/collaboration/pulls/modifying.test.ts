import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { git } from '#test/git/support.ts';
import { addressOf, change, complaint, workTree } from '#test/server/git-http/support.ts';
import { installApp } from '#test/support/apps.ts';
import type { Answer, Client } from '#test/support/client.ts';
import { world } from '#test/support/world.ts';
import { forkSetting, pullSetting } from './setting.ts';

const w = await world();

/** What changes a branch of a fork by the API. */
const writes: [string, (by: Client, at: Offered, branch: string) => Promise<Answer>][] = [
  [
    'a ref',
    async (by, { fork }, branch) =>
      by.patch(`${fork.base}/git/refs/heads/${branch}`, { sha: await fork.tip('side'), force: true }),
  ],
  ['a new file', (by, { fork }, branch) => by.put(`${fork.base}/contents/fix.txt`, { message: 'Fix', content: 'Zml4', branch })],
  [
    'a removed file',
    async (by, { fork, grace }, branch) => {
      const { body } = await (await w.as(grace)).get(`${fork.base}/contents/README.md`);
      return by.delete(`${fork.base}/contents/README.md`, { message: 'Remove', sha: body.sha, branch });
    },
  ],
  ['a merge', (by, { fork }, branch) => by.post(`${fork.base}/merges`, { base: branch, head: 'side' })],
];

/** Grace's pull request from her fork into a repository that Ada's friend Joan may write to. */
async function offered(more: object = {}) {
  const at = await pullSetting(w);
  const [grace, joan] = [await w.user(), await w.user()];
  await w.collaborator(at.repo, joan, 'write');
  const fork = await forkSetting(w, at, grace);
  await fork.commit('topic');
  await fork.commit('other');
  await fork.commit('side');
  const { status, body } = await fork.open('topic', more);
  expect(status).toBe(201);
  const pull = `${at.base}/pulls/${body.number}`;
  const address = async (who: Account | string) =>
    addressOf(w, { owner: grace, name: fork.repo.name }, typeof who === 'string' ? who : await w.token(who));
  /** A clone of the fork with a new commit on top of the topic. */
  const clone = async () => {
    const folder = await workTree();
    await git(folder, 'fetch', '-q', await address(grace), 'refs/heads/topic');
    await git(folder, 'checkout', '-q', '-B', 'topic', 'FETCH_HEAD');
    const commit = await change(folder, { 'fix.txt': 'fixed\n' }, 'Fix');
    return { folder, commit };
  };
  const refs = async () => (await fork.client.get(`${fork.base}/git/matching-refs/`)).body;
  return { ...at, grace, joan, fork, pull, address, clone, refs };
}

test('who may write to the base pushes to the head of a pull request, and to nothing else of the fork', async () => {
  const { client, joan, fork, pull, address, clone, refs } = await offered();
  expect((await client.get(pull)).body.maintainer_can_modify).toBe(true);
  const { folder, commit } = await clone();
  const url = await address(joan);
  const before = await refs();
  for (const wanted of ['other', 'main', 'new', 'refs/tags/v1', 'refs/heads/topic/more', 'refs/notes/x'])
    expect(await complaint(folder, 'push', url, `+HEAD:${wanted.startsWith('refs/') ? wanted : `refs/heads/${wanted}`}`)).toMatch(
      /you may only move branches of open pull requests/,
    );
  expect(await complaint(folder, 'push', url, ':refs/heads/topic')).toMatch(/you may only move/);
  expect(await complaint(folder, 'push', url, ':refs/heads/other')).toMatch(/you may only move/);
  expect(await complaint(folder, 'push', '--atomic', url, 'HEAD:refs/heads/topic', '+HEAD:refs/heads/other')).toMatch(/atomic/);
  expect(await refs()).toEqual(before);
  await complaint(folder, 'push', url, 'HEAD:refs/heads/topic', '+HEAD:refs/heads/other');
  expect((await fork.client.get(`${fork.base}/git/ref/heads/topic`)).body.object.sha).toBe(commit);
  expect((await refs()).length).toBe(before.length);
  await w.settle();
  expect((await client.get(pull)).body.head.sha).toBe(commit);
  const next = await change(folder, { 'more.txt': 'more\n' });
  await git(folder, 'push', '-q', url, 'HEAD:refs/heads/topic');
  expect((await fork.client.get(`${fork.base}/git/ref/heads/topic`)).body.object.sha).toBe(next);
});

type Offered = Awaited<ReturnType<typeof offered>>;

test.each<[string, (at: Offered) => Promise<unknown>]>([
  ['the author does not let them', ({ fork, pull }) => fork.client.patch(pull, { maintainer_can_modify: false })],
  ['the pull request is closed', ({ client, pull }) => client.patch(pull, { state: 'closed' })],
  ['the pull request is merged', ({ client, pull }) => client.put(`${pull}/merge`, {})],
  ['they may not write to the base any more', ({ client, base, joan }) => client.delete(`${base}/collaborators/${joan.login}`)],
  [
    'they may only triage in the base',
    ({ repo, joan }) =>
      w.db
        .updateTable('collaborators')
        .set({ role: 'triage' })
        .where('repository_id', '=', repo.id)
        .where('user_id', '=', joan.id)
        .execute(),
  ],
  ['the base is archived', ({ client, base }) => client.patch(base, { archived: true })],
  ['the fork is archived', ({ fork }) => fork.client.patch(fork.base, { archived: true })],
  ['the base is deleted', ({ client, base }) => client.delete(base)],
])('nobody pushes where %s', async (_, end) => {
  const at = await offered();
  const { folder } = await at.clone();
  const url = await at.address(at.joan);
  await git(folder, 'push', '-q', '--dry-run', url, 'HEAD:refs/heads/topic');
  await end(at);
  const before = await at.refs();
  expect(await complaint(folder, 'push', url, 'HEAD:refs/heads/topic')).toMatch(/403/);
  expect(await at.refs()).toEqual(before);
});

test('one open pull request of a fork does not open the branch of a closed one', async () => {
  const at = await offered();
  const open = await at.fork.open('other');
  expect(open.status).toBe(201);
  const { folder } = await at.clone();
  await at.client.patch(at.pull, { state: 'closed' });
  const before = await at.refs();
  expect(await complaint(folder, 'push', await at.address(at.joan), 'HEAD:refs/heads/topic')).toMatch(/you may only move/);
  expect(await at.refs()).toEqual(before);
});

test('strangers, readers of the base and limited credentials push nothing', async () => {
  const { ada, repo, owner, joan, address, clone, refs } = await offered();
  const reader = await w.user();
  await w.collaborator(repo, reader, 'read');
  const app = await installApp(w, { on: owner, permissions: { contents: 'write' } });
  const { folder } = await clone();
  const before = await refs();
  for (const who of [
    await w.user(),
    reader,
    await w.token(joan, ['read:org']),
    await w.fineGrained(joan, joan, { contents: 'write' }),
    await w.fineGrained(ada, ada, { contents: 'write' }, [repo]),
    app.token,
    await app.userToken(joan),
  ])
    expect(await complaint(folder, 'push', await address(who), 'HEAD:refs/heads/topic')).toMatch(/403/);
  expect(await refs()).toEqual(before);
});

test('a private fork is not even seen', async () => {
  const { joan, fork, address, clone } = await offered();
  const { folder } = await clone();
  await w.db.updateTable('repositories').set({ visibility: 'private' }).where('id', '=', fork.repo.id).execute();
  expect(await complaint(folder, 'push', await address(joan), 'HEAD:refs/heads/topic')).toMatch(/not found/);
});

test('who may not write to a fork lets nobody modify its branches', async () => {
  const { client, ada, base, fork, joan, address, clone, refs } = await offered({ maintainer_can_modify: false });
  // Ada may open a pull request of Grace's branch, since she may write to the base.
  const { status, body } = await client.post(`${base}/pulls`, {
    title: 'Other',
    head: `${fork.user.login}:other`,
    base: 'main',
    maintainer_can_modify: true,
  });
  expect({ status, may: body.maintainer_can_modify }).toEqual({ status: 201, may: false });
  expect((await client.patch(`${base}/pulls/${body.number}`, { maintainer_can_modify: true })).status).toBe(422);
  expect((await client.get(`${base}/pulls/${body.number}`)).body.maintainer_can_modify).toBe(false);
  // Even where the row says otherwise, as after Ada had lost her access to the fork.
  await w.db.updateTable('pull_requests').set({ maintainer_can_modify: true }).where('pull_id', '=', body.id).execute();
  const { folder } = await clone();
  const before = await refs();
  for (const who of [ada, joan])
    expect(await complaint(folder, 'push', await address(who), '+HEAD:refs/heads/other')).toMatch(/403/);
  expect(await refs()).toEqual(before);
});

test('update-branch follows the same rules', async () => {
  const { client, commit, joan, fork, pull, tip } = await offered();
  await commit('main', { 'base.txt': 'new\n' });
  const joans = await w.as(joan);
  await fork.client.patch(pull, { maintainer_can_modify: false });
  expect((await joans.put(`${pull}/update-branch`, {})).status).toBe(403);
  await fork.client.patch(pull, { maintainer_can_modify: true });
  expect((await joans.put(`${pull}/update-branch`, {})).status).toBe(202);
  await w.settle();
  const { body } = await client.get(`${pull}/commits`);
  expect(body.at(-1).parents.map(({ sha }: { sha: string }) => sha)).toContain(await tip('main'));
});

test.each(writes)('the API takes %s of the head, and of no other branch', async (_, write) => {
  const at = await offered();
  const { client, joan, fork, pull, refs } = at;
  const joans = await w.as(joan);
  const before = await refs();
  for (const branch of ['other', 'main']) expect((await write(joans, at, branch)).status).toBe(403);
  expect((await write(joans, at, 'none')).status).toBeGreaterThanOrEqual(403);
  expect(await refs()).toEqual(before);
  const { status } = await write(joans, at, 'topic');
  expect([200, 201]).toContain(status);
  const head = await fork.tip('topic');
  expect(await refs()).not.toEqual(before);
  await w.settle();
  expect((await client.get(pull)).body.head.sha).toBe(head);
});

test('the API creates, renames and deletes nothing of the fork, and syncs nothing', async () => {
  const { joan, fork, refs, tip } = await offered();
  const joans = await w.as(joan);
  const before = await refs();
  const sha = await tip('main');
  const answers = [
    await joans.post(`${fork.base}/git/refs`, { ref: 'refs/heads/new', sha }),
    await joans.patch(`${fork.base}/git/refs/tags/v1`, { sha }),
    await joans.delete(`${fork.base}/git/refs/heads/topic`),
    await joans.post(`${fork.base}/branches/topic/rename`, { new_name: 'subject' }),
    await joans.post(`${fork.base}/merge-upstream`, { branch: 'topic' }),
    await joans.post(`${fork.base}/releases`, { tag_name: 'v1', target_commitish: 'topic' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([403, 422, 403, 403, 403, 403]);
  expect(await refs()).toEqual(before);
});

test('the API refuses strangers, readers of the base, limited credentials, and everybody once the pull request is closed', async () => {
  const at = await offered();
  const { ada, repo, owner, joan, client, pull, refs } = at;
  const reader = await w.user();
  await w.collaborator(repo, reader, 'read');
  const app = await installApp(w, { on: owner, permissions: { contents: 'write' } });
  const before = await refs();
  const callers = [
    await w.token(await w.user()),
    await w.token(reader),
    await w.token(joan, ['read:org']),
    await w.fineGrained(joan, joan, { contents: 'write' }),
    await w.fineGrained(ada, ada, { contents: 'write' }, [repo]),
    app.token,
    await app.userToken(joan),
  ];
  const refused = async (token: string) => {
    for (const [, write] of writes) expect((await write(await w.as(token), at, 'topic')).status).toBe(403);
  };
  for (const token of callers) await refused(token);
  await client.patch(pull, { state: 'closed' });
  await refused(await w.token(joan));
  expect(await refs()).toEqual(before);
});
