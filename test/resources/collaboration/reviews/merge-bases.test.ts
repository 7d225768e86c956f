import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { git } from '#test/git/support.ts';
import { addCommit, person as committer, diskOf } from '#test/resources/code/commits/setting.ts';
import { push } from '#test/resources/collaboration/pulls/setting.ts';
import { world } from '#test/support/world.ts';
import { mergeSetting } from './merge-setting.ts';

const w = await world();

const owned = 'lock.key';

/**
 * A repository whose `main` and `topic` both come from `old` and `fixed`: `main` has the repair of a file, `topic` has taken the
 * file back. A comparison with `old`, the later of the two merge bases, doesn't show the file.
 */
async function crissCross(owner?: Account, weak = 'weak\n') {
  const setting = await mergeSetting(w);
  if (owner) await w.collaborator(setting.repo, owner, 'write');
  const files: Record<string, string> = owner ? { CODEOWNERS: `/${owned} @${owner.login}\n` } : {};
  const { repo, ada, first } = setting;
  const gitRepository = diskOf(w, repo);
  const on = (day: number, given: Parameters<typeof addCommit>[1]) =>
    addCommit(gitRepository, { author: committer('Ada', day), ...given });
  const root = await on(2, { files: { [owned]: weak, ...files }, parents: [first] });
  const fixed = await on(3, { files: { [owned]: 'strong\n' }, parents: [root] });
  const old = await on(9, { files: { 'b.txt': 'b\n' }, parents: [root] });
  const main = await on(10, { files: { [owned]: 'strong\n' }, parents: [old, fixed] });
  const topic = await on(11, { files: { [owned]: weak, 'c.txt': 'c\n' }, parents: [old, fixed] });
  await push(w, ada, repo, 'main', main);
  await push(w, ada, repo, 'topic', topic);
  const number = await setting.open('topic');
  await setting.tested(number);
  const path = `${setting.base}/pulls/${number}`;
  const shown = (await setting.client.get(`${path}/files`)).body.map(({ filename }: { filename: string }) => filename);
  expect(shown).toEqual(['c.txt']);
  const merged = await git(gitRepository.path, 'merge-tree', '--write-tree', main, topic);
  expect(await git(gitRepository.path, 'show', `${merged.trim()}:${owned}`)).toBe(weak);
  return { ...setting, gitRepository, main, topic, number, path };
}

const merge = async ({ client, path }: Awaited<ReturnType<typeof crissCross>>, merge_method = 'merge') =>
  client.put(`${path}/merge`, { merge_method });

test('owners approve what a merge takes back, which the comparison of the branches does not show', async () => {
  const carla = await w.user();
  const setting = await crissCross(carla);
  const { rule, client, path, number, tested, tip, main } = setting;
  await rule({ require_code_owner_review: true }, { bypass_actors: [] });
  expect((await tested(number)).mergeable_state).toBe('blocked');
  for (const method of ['merge', 'squash'])
    expect(await merge(setting, method)).toMatchObject({
      status: 405,
      body: { message: expect.stringContaining('An approving review by a code owner is required') },
    });
  expect(await tip('main')).toBe(main);
  const lacking = await w.db
    .selectFrom('pull_requests')
    .select('lacks_reviews')
    .where('head_ref', '=', 'topic')
    .executeTakeFirst();
  expect(lacking).toEqual({ lacks_reviews: true });
  await (await w.as(carla)).post(`${path}/reviews`, { event: 'APPROVE' });
  expect((await merge(setting)).status).toBe(200);
  expect((await client.get(path)).body.merged).toBe(true);
});

test('owners are asked to review what a merge takes back', async () => {
  const dana = await w.user();
  const { path, client } = await crissCross(dana);
  expect((await client.get(`${path}/requested_reviewers`)).body.users).toMatchObject([{ login: dana.login }]);
});

test.each<[string, object, string?]>([
  ['file_path_restriction', { restricted_file_paths: [owned] }],
  ['file_extension_restriction', { restricted_file_extensions: ['.key'] }],
  ['max_file_path_length', { max_file_path_length: 5 }],
  ['max_file_size', { max_file_size: 1 }, `${'weak'.repeat(300_000)}\n`],
])('%s holds for files that a merge takes from one of its parents', async (type, parameters, content) => {
  const setting = await crissCross(undefined, content);
  const { client, base, gitRepository, main, topic, tip } = setting;
  const ruleset = { name: type, target: 'push', enforcement: 'active', rules: [{ type, parameters }] };
  expect((await client.post(`${base}/rulesets`, ruleset)).status).toBe(201);
  expect(await merge(setting)).toMatchObject({ status: 405, body: { message: expect.stringContaining(owned) } });
  // No commit of this merge changes the file either: it is that of its second parent.
  const weak = await addCommit(gitRepository, { files: { [owned]: content ?? 'weak\n' }, parents: [main, topic] });
  expect(await client.patch(`${base}/git/refs/heads/main`, { sha: weak })).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining(owned) },
  });
  expect(await tip('main')).toBe(main);
});

test('a rebase brings no files but those of the merge, which people have seen', async () => {
  const { client, base, repo, first, ada, open, tested, commit, tip } = await mergeSetting(w);
  const gitRepository = diskOf(w, repo);
  const bring = async (branch: string, oid: string) => {
    await push(w, ada, repo, branch, oid);
    const number = await open(branch);
    const { mergeable, rebaseable } = await tested(number);
    return { number, mergeable, rebaseable };
  };
  const files = async (number: number) =>
    (await client.get(`${base}/pulls/${number}/files`)).body.map(({ filename }: { filename: string }) => filename);
  const rebase = (number: number) => client.put(`${base}/pulls/${number}/merge`, { merge_method: 'rebase' });
  const message = 'x';
  // A merge commit takes back what a commit has brought.
  const evil = await addCommit(gitRepository, { files: { 'evil.txt': 'evil' }, parents: [first], message });
  const good = await addCommit(gitRepository, { files: { 'good.txt': 'good' }, parents: [first], message });
  const merged = await addCommit(gitRepository, {
    files: { 'good.txt': 'good', 'evil.txt': null },
    parents: [evil, good],
    message,
  });
  const hidden = await bring('hidden', merged);
  expect([await files(hidden.number), hidden.mergeable, hidden.rebaseable]).toEqual([['good.txt'], true, false]);
  expect(await rebase(hidden.number)).toMatchObject({ status: 405, body: { message: "This branch can't be rebased" } });

  // A commit takes back what the base has got too.
  const fixed = await addCommit(gitRepository, { files: { 'lock.txt': 'strong' }, parents: [first], message });
  const weak = await addCommit(gitRepository, { files: { 'lock.txt': null }, parents: [fixed], message });
  const last = await addCommit(gitRepository, { files: { 'c.txt': 'c' }, parents: [weak], message });
  await commit('main', { 'lock.txt': 'strong' });
  const reverting = await bring('reverting', last);
  expect([await files(reverting.number), reverting.mergeable, reverting.rebaseable]).toEqual([['c.txt'], true, false]);
  expect((await rebase(reverting.number)).status).toBe(405);

  // Merges of the base are left out of a rebase, and change nothing of it.
  const two = await addCommit(gitRepository, { files: { 'd.txt': 'd' }, parents: [first], message: 'Two' });
  const withBase = await addCommit(gitRepository, {
    files: { 'd.txt': 'd', 'lock.txt': 'strong' },
    parents: [two, await tip('main')],
    message,
  });
  const harmless = await bring('harmless', withBase);
  expect([harmless.mergeable, harmless.rebaseable]).toEqual([true, true]);
  expect((await rebase(harmless.number)).status).toBe(200);
});
