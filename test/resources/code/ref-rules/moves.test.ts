import { expect, test } from 'vitest';
import { git } from '#test/git/support.ts';
import { world } from '#test/support/world.ts';
import { ruleSetting } from './setting.ts';

const w = await world({ resourceLimits: { git: { ruledCommits: 20 } } });
const onTopics = { conditions: { ref_name: { include: ['refs/heads/release/**/*'], exclude: ['refs/heads/release/draft'] } } };

test('creation, deletion and renaming are refused by names, whatever else the push brings', async () => {
  const { api, base, client, push, rule, first, tip, bring } = await ruleSetting(w);
  await bring('release/1', { files: { a: '1' }, parents: [first] });
  await rule({ type: 'creation' }, onTopics);
  await rule({ type: 'deletion' }, onTopics);
  const told = await push('origin/main:refs/heads/release/2', ':release/1', 'origin/main:refs/heads/topic');
  expect(told).toMatch(/remote: error: Repository rule violations found for refs\/heads\/release\/2:/);
  expect(told).toMatch(
    /remote: - Cannot create ref due to creations being restricted. \(creation, ruleset "Rules of creation"\)/,
  );
  expect(told).toMatch(/remote: - Cannot delete this protected ref. \(deletion, ruleset "Rules of deletion"\)/);
  expect(told).toMatch(/\[remote rejected\] release\/1 \(push declined due to repository rule violations\)/);
  expect(await tip('topic')).toBe(first);
  expect((await api.post(`${base}/git/refs`, { ref: 'refs/heads/release/a/b', sha: first })).status).toBe(422);
  expect((await api.post(`${base}/git/refs`, { ref: 'refs/heads/release/draft', sha: first })).status).toBe(201);
  expect((await api.delete(`${base}/git/refs/heads/release/1`)).status).toBe(422);
  expect((await api.delete(`${base}/git/refs/heads/release/draft`)).status).toBe(204);
  expect((await client.post(`${base}/branches/release%2F1/rename`, { new_name: 'other' })).status).toBe(422);
  expect((await client.post(`${base}/branches/topic/rename`, { new_name: 'release/3' })).status).toBe(422);
  expect(await tip('release/1')).not.toBe(first);
  expect(await tip('topic')).toBe(first);
});

test('a forced move and a merge commit are refused by the objects, other refs of the push are not', async () => {
  const { api, base, push, rule, first, tip, bring } = await ruleSetting(w);
  const second = await bring('two', { files: { b: '2' }, parents: [first] });
  const other = await bring('three', { files: { c: '3' }, parents: [first] });
  const merge = await bring('merged', { files: {}, parents: [second, other] });
  expect(await push(`${second}:refs/heads/main`)).toBeUndefined();
  await rule({ type: 'non_fast_forward' });
  await rule({ type: 'required_linear_history' });
  const told = await push('--force', `${other}:refs/heads/main`, `${other}:refs/heads/topic`);
  expect(told).toMatch(/- Cannot force-push to this protected ref. \(non_fast_forward/);
  expect([await tip('main'), await tip('topic')]).toEqual([second, other]);
  expect(await push('--force', '--atomic', `${other}:refs/heads/main`, `${other}:refs/heads/topic2`)).toMatch(/force-push/);
  expect((await api.get(`${base}/git/ref/heads/topic2`)).status).toBe(404);
  expect(await push(`${merge}:refs/heads/main`)).toMatch(/must not contain merge commits: [0-9a-f]{7} \(required_linear_history/);
  const forced = await api.patch(`${base}/git/refs/heads/main`, { sha: other, force: true });
  expect(forced).toMatchObject({ status: 422, body: { message: expect.stringContaining('Cannot force-push') } });
  expect(await tip('main')).toBe(second);
});

test('names of branches and tags follow patterns, and rules of tags leave branches alone', async () => {
  const { api, base, push, rule, first } = await ruleSetting(w);
  const all = { conditions: { ref_name: { include: ['~ALL'], exclude: [] } } };
  const lower = { operator: 'regex', pattern: '^[a-z0-9/.-]+$' };
  await rule({ type: 'branch_name_pattern', parameters: lower }, all);
  await rule({ type: 'tag_name_pattern', parameters: { operator: 'starts_with', pattern: 'v' } }, { ...all, target: 'tag' });
  await rule({ type: 'update' }, { ...all, target: 'tag', name: 'Tags stay' });
  await rule({ type: 'deletion' }, { ...all, target: 'tag', name: 'Tags stay, too' });
  const told = await push('origin/main:refs/heads/Topic', 'origin/main:refs/tags/1.0', 'origin/main:refs/tags/v1.0');
  expect(told).toMatch(/Names of branches must match "\^\[a-z0-9\/.-\]\+\$": Topic/);
  expect(told).toMatch(/Names of tags must start with "v": 1.0/);
  expect((await api.get(`${base}/git/ref/tags/v1.0`)).body.object.sha).toBe(first);
  expect(await push(':refs/tags/v1.0')).toMatch(/Cannot delete this protected ref/);
  expect((await api.delete(`${base}/git/refs/tags/v1.0`)).status).toBe(422);
});

test('the first push of an empty repository is taken, though its branch wants pull requests and checks', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const client = await w.as(ada);
  const base = `/repos/${ada.login}/${repo.name}`;
  const review = {
    dismiss_stale_reviews_on_push: false,
    require_code_owner_review: false,
    require_last_push_approval: false,
    required_approving_review_count: 1,
    required_review_thread_resolution: false,
  };
  const checks = { required_status_checks: [{ context: 'ci' }], strict_required_status_checks_policy: true };
  await client.post(`${base}/rulesets`, {
    name: 'Main',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
    rules: [
      { type: 'pull_request', parameters: review },
      { type: 'required_status_checks', parameters: checks },
    ],
  });
  const put = (path: string) => client.put(`${base}/contents/${path}`, { message: 'x', content: '' });
  expect((await put('a')).status).toBe(201);
  expect((await put('b')).status).toBe(409);
});

test('more new commits than rules look at are refused', async () => {
  const { api, base, folder, push, rule, tip, first } = await ruleSetting(w);
  await rule({ type: 'commit_message_pattern', parameters: { operator: 'contains', pattern: 'a' } });
  for (let at = 0; at < 20; at++) await git(folder, 'commit', '-q', '--allow-empty', '-m', 'a');
  expect(await push('HEAD:refs/heads/topic')).toBeUndefined();
  expect(await push('HEAD:refs/heads/main')).toBeUndefined();
  for (let at = 0; at < 21; at++) await git(folder, 'commit', '-q', '--allow-empty', '-m', 'a');
  const before = await tip('main');
  expect(await push('HEAD:refs/heads/topic')).toBeUndefined();
  expect(await push('HEAD:refs/heads/main')).toMatch(
    /There are more new commits than this rule can check. \(commit_message_pattern/,
  );
  const moved = await api.patch(`${base}/git/refs/heads/main`, { sha: await tip('topic') });
  expect(moved).toMatchObject({ status: 422, body: { message: expect.stringContaining('more new commits') } });
  expect([await tip('main'), first === before]).toEqual([before, false]);
});
