import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';
import { pullSetting } from './setting.ts';

const w = await world();

/** A repository with a pull request of two commits, and what its merge commit says by some settings. */
async function setting() {
  const at = await pullSetting(w);
  await at.commit('topic', { 'b.txt': 'one\n' }, 'One\n\nBecause.');
  await at.commit('topic', { 'b.txt': 'two\n' }, 'Two');
  const number = await at.open('topic', { title: 'Both', body: 'Of them.' });
  await w.settle();
  const merged = async (settings: object, wanted: object) => {
    expect((await at.client.patch(at.base, settings)).body).toMatchObject(settings);
    const { body } = await at.client.put(`${at.base}/pulls/${number}/merge`, wanted);
    return (await at.client.get(`${at.base}/git/commits/${body.sha}`)).body.message;
  };
  return { ...at, number, merged };
}

test.each([
  [{ merge_commit_title: 'MERGE_MESSAGE', merge_commit_message: 'PR_TITLE' }, /^Merge pull request #1 from \S+\/topic\n\nBoth$/],
  [{ merge_commit_title: 'PR_TITLE', merge_commit_message: 'PR_BODY' }, /^Both \(#1\)\n\nOf them\.$/],
  [{ merge_commit_title: 'PR_TITLE', merge_commit_message: 'BLANK' }, /^Both \(#1\)$/],
])('the message of a merge commit by the settings %o', async (settings, expected) => {
  const { merged } = await setting();
  expect(await merged(settings, { merge_method: 'merge' })).toMatch(expected);
});

test.each([
  [{ squash_merge_commit_title: 'PR_TITLE', squash_merge_commit_message: 'PR_BODY' }, /^Both \(#1\)\n\nOf them\./],
  [
    { squash_merge_commit_title: 'PR_TITLE', squash_merge_commit_message: 'COMMIT_MESSAGES' },
    /^Both \(#1\)\n\n\* One\n\nBecause\.\n\n\* Two/,
  ],
  [
    { squash_merge_commit_title: 'COMMIT_OR_PR_TITLE', squash_merge_commit_message: 'BLANK' },
    /^Both \(#1\)(\n\nCo-authored-by: .*)?$/,
  ],
])('the message of a squashed commit by the settings %o', async (settings, expected) => {
  const { merged } = await setting();
  expect(await merged(settings, { merge_method: 'squash' })).toMatch(expected);
});

test('a request names the title and the message of its merge', async () => {
  const { merged } = await setting();
  const wanted = { merge_method: 'merge', commit_title: 'My title', commit_message: 'My message' };
  expect(await merged({}, wanted)).toBe('My title\n\nMy message');
});

test.each([
  ['merge', { allow_merge_commit: false }, 'Merge commits are not allowed on this repository.'],
  ['squash', { allow_squash_merge: false }, 'Squash merges are not allowed on this repository.'],
])('%s is refused where the repository does not allow it', async (merge_method, settings, message) => {
  const { client, base, number, tip } = await setting();
  await client.patch(base, settings);
  const main = await tip('main');
  expect(await client.put(`${base}/pulls/${number}/merge`, { merge_method })).toMatchObject({ status: 405, body: { message } });
  expect(await tip('main')).toBe(main);
});

test('a merge of branches says what its request says', async () => {
  const { client, base } = await setting();
  const { body } = await client.post(`${base}/merges`, { base: 'main', head: 'topic', commit_message: 'Joined' });
  expect(body.commit.message).toBe('Joined');
});
