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
