// Which closed pull requests may be opened again, as either endpoint tells it.
import { expect, test } from 'vitest';
import { addCommit, diskOf } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';
import { pullSetting, push } from './setting.ts';

const w = await world();

type Setting = Awaited<ReturnType<typeof pullSetting>>;

/** A closed pull request of `topic` into `next`. */
async function closedSetting() {
  const setting = await pullSetting(w);
  const { client, base, commit, open, first, repo, ada } = setting;
  await push(w, ada, repo, 'next', first);
  await commit('topic', { 'b.txt': 'one\n' });
  const number = await open('topic', { base: 'next' });
  await client.patch(`${base}/pulls/${number}`, { state: 'closed' });
  await w.settle();
  return { ...setting, number };
}

/** Why a pull request isn't opened again, by both endpoints; undefined where it is. */
async function refusal({ client, base }: Setting, number: number): Promise<string | undefined> {
  const [asPull, asIssue] = [
    await client.patch(`${base}/pulls/${number}`, { state: 'open' }),
    await client.patch(`${base}/issues/${number}`, { state: 'open' }),
  ];
  await w.settle();
  expect(asIssue.status).toBe(asPull.status);
  expect(asIssue.body.errors).toEqual(asPull.body.errors);
  if (asPull.status === 200) return undefined;
  expect(asPull.status).toBe(422);
  expect((await client.get(`${base}/pulls/${number}`)).body.state).toBe('closed');
  return asPull.body.errors[0].message;
}

test('a base that was deleted, until it is back', async () => {
  const setting = await closedSetting();
  const { ada, base, client, first, number, repo } = setting;
  await client.delete(`${base}/git/refs/heads/next`);
  expect(await refusal(setting, number)).toBe('state cannot be changed. The next branch has been deleted.');
  await w.settle();
  expect(await refusal(setting, number)).toBe('state cannot be changed. The next branch has been deleted.');
  await push(w, ada, repo, 'next', first);
  expect(await refusal(setting, number)).toBeUndefined();
});

test('a head that was deleted, before anybody noticed', async () => {
  const setting = await closedSetting();
  await setting.client.delete(`${setting.base}/git/refs/heads/topic`);
  expect(await refusal(setting, setting.number)).toBe('state cannot be changed. The topic branch has been deleted.');
});

test('a head that lost commits while it was closed, until it has them again', async () => {
  const setting = await closedSetting();
  const { ada, first, number, repo, tip } = setting;
  const before = await tip('topic');
  const replaced = await addCommit(diskOf(w, repo), { files: { 'b.txt': 'two\n' }, parents: [first] });
  await push(w, ada, repo, 'topic', replaced);
  await w.settle();
  expect(await refusal(setting, number)).toBe('state cannot be changed. The topic branch was force-pushed or recreated.');
  await push(w, ada, repo, 'topic', before);
  expect(await refusal(setting, number)).toBeUndefined();
});

test('a head that the base has by now', async () => {
  const setting = await closedSetting();
  const { ada, number, repo, tip } = setting;
  await push(w, ada, repo, 'next', await tip('topic'));
  await w.settle();
  expect(await refusal(setting, number)).toBe('state cannot be changed. There are no new commits on the topic branch.');
});

test('one whose branches another one has, of two at the same time too', async () => {
  const setting = await closedSetting();
  const { base, client, number, open } = setting;
  const counted = async () => (await client.get(base)).body.open_issues_count;
  const second = await open('topic', { base: 'next' });
  expect(await refusal(setting, number)).toBe('state cannot be changed. Another pull request between its branches is open.');
  expect(await counted()).toBe(1);
  await client.patch(`${base}/pulls/${second}`, { state: 'closed' });
  await w.settle();
  const both = await Promise.all([number, second].map((one) => client.patch(`${base}/pulls/${one}`, { state: 'open' })));
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 422]);
  expect(await counted()).toBe(1);
});

test('of a fork, the head is looked for there', async () => {
  const setting = await pullSetting(w);
  const { base, client, first } = setting;
  const grace = await w.user();
  const other = await w.as(grace);
  const { body: fork } = await other.post(`${base}/forks`, {});
  await w.settle();
  const add = async (text: string, parent: string) => {
    const oid = await addCommit(diskOf(w, fork), { files: { 'b.txt': text }, parents: [parent] });
    await push(w, grace, fork, 'topic', oid);
    return oid;
  };
  const one = await add('one\n', first);
  const { body } = await other.post(`${base}/pulls`, { title: 'T', head: `${grace.login}:topic`, base: 'main' });
  await client.patch(`${base}/pulls/${body.number}`, { state: 'closed' });
  await add('two\n', one);
  expect(await refusal(setting, body.number)).toBeUndefined();
  await client.patch(`${base}/pulls/${body.number}`, { state: 'closed' });
  await add('three\n', first);
  expect(await refusal(setting, body.number)).toBe('state cannot be changed. The topic branch was force-pushed or recreated.');
});
