import { expect, test } from 'vitest';
import { withSignoff } from '#resources/repositories/repositories/signoff.ts';
import { forkSetting, pullSetting } from '#test/resources/collaboration/pulls/setting.ts';
import { fresh, world } from '#test/support/world.ts';

const w = await world();

/** The line by which an account signs a commit off. */
const lineOf = ({ login, id }: { login: string; id: number }): RegExp =>
  new RegExp(`^Signed-off-by: ${login} <${id}\\+${login}@.+>$`, 'm');

test('commits that the server writes are signed off where the repository requires it', async () => {
  const at = await pullSetting(w);
  const { client, base, ada } = at;
  const messageOf = async (sha: string) => (await client.get(`${base}/git/commits/${sha}`)).body.message;
  const write = async (message: string, name: string) =>
    messageOf((await client.put(`${base}/contents/${name}`, { message, content: '' })).body.commit.sha);
  expect(await write('Before', 'before.txt')).toBe('Before');
  await at.commit('behind', { 'b.txt': 'b\n' });
  await at.commit('merged', { 'c.txt': 'c\n' });
  await at.commit('squashed', { 'd.txt': 'd\n' });
  await at.commit('joined', { 'e.txt': 'e\n' });
  const [behind, merged, squashed] = [await at.open('behind'), await at.open('merged'), await at.open('squashed')];
  await w.settle();

  expect((await client.patch(base, { web_commit_signoff_required: true })).body.web_commit_signoff_required).toBe(true);
  expect(await write('After', 'after.txt')).toMatch(lineOf(ada));
  const twice = await write(await write('Again', 'again.txt'), 'once-more.txt');
  expect(twice.match(/Signed-off-by/g)).toHaveLength(1);
  expect((await client.put(`${base}/pulls/${behind}/update-branch`)).status).toBe(202);
  expect(await messageOf(await at.tip('behind'))).toMatch(lineOf(ada));
  for (const [number, merge_method] of [
    [merged, 'merge'],
    [squashed, 'squash'],
  ]) {
    const { body } = await client.put(`${base}/pulls/${number}/merge`, { merge_method });
    expect(await messageOf(body.sha)).toMatch(lineOf(ada));
  }
  const { body: joined } = await client.post(`${base}/merges`, { base: 'main', head: 'joined' });
  expect(joined.commit.message).toMatch(lineOf(ada));

  await client.patch(base, { web_commit_signoff_required: false });
  expect(await write('Later', 'later.txt')).toBe('Later');
});

test('an organization requires signed-off commits in all of its repositories, and none can turn that off', async () => {
  const at = await pullSetting(w, { ownedBy: 'organization' });
  const { client, base, owner, ada } = at;
  const change = (path: string, wanted: object) => client.patch(path, wanted);
  const shown = async () => (await client.get(base)).body.web_commit_signoff_required;
  await change(`/orgs/${owner.login}`, { web_commit_signoff_required: true });
  expect(await shown()).toBe(true);
  expect((await client.get(`/orgs/${owner.login}/repos`)).body[0].web_commit_signoff_required).toBe(true);
  expect(await change(base, { web_commit_signoff_required: false })).toMatchObject({
    status: 422,
    body: { message: 'Commit signoff is enforced by the organization and cannot be disabled' },
  });
  const { body } = await client.put(`${base}/contents/new.txt`, { message: 'New', content: '' });
  expect(body.commit.message).toMatch(lineOf(ada));

  const made = await client.post(`/orgs/${owner.login}/repos`, { name: fresh('made'), auto_init: true });
  const { body: commits } = await client.get(`/repos/${made.body.full_name}/commits`);
  expect(commits[0].commit.message).toMatch(lineOf(ada));
  const moved = await client.post('/user/repos', { name: fresh('moved') });
  await client.post(`/repos/${moved.body.full_name}/transfer`, { new_owner: owner.login });
  await w.settle();
  const { body: arrived } = await client.get(`/repos/${owner.login}/${moved.body.name}`);
  expect(arrived.web_commit_signoff_required).toBe(true);

  await change(`/orgs/${owner.login}`, { web_commit_signoff_required: false });
  expect(await shown()).toBe(false);
});

test('the branch of a fork is signed off by the settings of the fork', async () => {
  const at = await pullSetting(w);
  const fork = await forkSetting(w, at, await w.user());
  await fork.commit('main');
  await at.commit('main', { 'a.txt': 'upstream\n' });
  await fork.client.patch(fork.base, { web_commit_signoff_required: true });
  expect((await fork.client.post(`${fork.base}/merge-upstream`, { branch: 'main' })).status).toBe(200);
  const { body } = await fork.client.get(`${fork.base}/git/commits/${await fork.tip('main')}`);
  expect(body.message).toMatch(lineOf(fork.user));
});

test.each([
  ['One', 'One\n\nSigned-off-by: Ada <a@b>'],
  ['One\n\nBecause.\n', 'One\n\nBecause.\n\nSigned-off-by: Ada <a@b>'],
  ['One\n\nBecause.\n\nCo-authored-by: Bob <b@c>', 'One\n\nBecause.\n\nCo-authored-by: Bob <b@c>\nSigned-off-by: Ada <a@b>'],
  ['One\n\nSigned-off-by: Ada <a@b>\n', 'One\n\nSigned-off-by: Ada <a@b>\n'],
  ['fix: one', 'fix: one\n\nSigned-off-by: Ada <a@b>'],
])('%j is signed off as git does', (message, expected) => {
  expect(withSignoff(message, { name: 'Ada', email: 'a@b' })).toBe(expected);
});
