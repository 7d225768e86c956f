// Who must be trusted so that the run of a fork's pull request begins without an approval.
import { expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const w = await world();

const types = ['opened', 'synchronize', 'labeled', 'assigned', 'edited', 'reopened'];
const workflow = `on: {pull_request: {types: [${types.join(', ')}]}}\njobs:\n  a: {runs-on: x, steps: [{run: x}]}\n`;

/** A public repository, and the fork of somebody, with a branch that `pusher` has pushed to. */
async function setting({ pusher }: { pusher?: Account } = {}) {
  const [ada, bob] = [await w.user(), await w.user()];
  const org = await w.org(ada);
  const repo = await w.repo(org, { visibility: 'public', by: ada });
  await commitFiles(w, repo, { '.github/workflows/ci.yml': workflow });
  await w.settle();
  const base = `/repos/${org.login}/${repo.name}`;
  const [client, other] = [await w.as(ada), await w.as(bob)];
  expect((await other.post(`${base}/forks`)).status).toBe(202);
  await w.settle();
  const fork = `/repos/${bob.login}/${repo.name}`;
  const { body: forked } = await other.get(fork);
  const forkRow = { ...repo, id: forked.id, owner_id: bob.id };
  if (pusher) await w.collaborator(forkRow as never, pusher, 'write');
  const push = (name: string, by = other) => by.put(`${fork}/contents/${name}`, { message: 'Add', content: btoa(name) });
  const open = async (by = other) => {
    const { status, body } = await by.post(`${base}/pulls`, { title: 'Take it', head: `${bob.login}:main`, base: 'main' });
    expect(status).toBe(201);
    await w.settle();
    return body.number as number;
  };
  const runs = async () => {
    const rows = await w.db
      .selectFrom('workflow_runs')
      .select(['payload', 'status', 'conclusion'])
      .where('repository_id', '=', repo.id)
      .orderBy('id')
      .execute();
    return rows.map(({ payload, status, conclusion }) => [JSON.parse(payload).action, conclusion ?? status]);
  };
  return { ada, bob, repo, org, base, client, other, push, open, runs };
}

test("what an owner does with a stranger's pull request doesn't approve its runs", async () => {
  const { ada, base, client, push, open, runs } = await setting();
  await push('a');
  const number = await open();
  const pull = `${base}/pulls/${number}`;
  await client.post(`${base}/issues/${number}/labels`, { labels: ['bug'] });
  await client.post(`${base}/issues/${number}/assignees`, { assignees: [ada.login] });
  await client.patch(pull, { title: 'Take this' });
  await client.patch(pull, { state: 'closed' });
  await client.patch(pull, { state: 'open' });
  await client.put(`${base}/contents/b`, { message: 'Add b', content: btoa('b') });
  await w.settle();
  expect((await client.put(`${pull}/update-branch`)).status).toBe(202);
  await w.settle();
  const found = await runs();
  expect(found.map(([action]) => action).sort()).toEqual([...types].sort());
  expect(found.map(([, state]) => state)).toEqual(types.map(() => 'action_required'));
});

test('the run of a fork begins where author, pushers and actor may write', async () => {
  const { bob, repo, base, client, push, open, runs } = await setting();
  await w.collaborator(repo, bob, 'write');
  await push('a');
  const number = await open();
  await client.post(`${base}/issues/${number}/labels`, { labels: ['bug'] });
  await w.settle();
  expect(await runs()).toEqual([
    ['opened', 'queued'],
    ['labeled', 'queued'],
  ]);
});

test("a stranger who pushed to a trusted person's fork must be trusted, also after others push", async () => {
  const carol = await w.user();
  const { bob, repo, base, client, other, push, open, runs } = await setting({ pusher: carol });
  await w.collaborator(repo, bob, 'write');
  await push('a', await w.as(carol));
  const number = await open(other);
  await push('b');
  await w.settle();
  await client.post(`${base}/issues/${number}/labels`, { labels: ['bug'] });
  await w.settle();
  expect(await runs()).toEqual([
    ['opened', 'action_required'],
    ['synchronize', 'action_required'],
    ['labeled', 'action_required'],
  ]);
});

test("an owner who opens a pull request of a stranger's branch doesn't approve it", async () => {
  const { client, push, open, runs } = await setting();
  await push('a');
  await open(client);
  expect(await runs()).toEqual([['opened', 'action_required']]);
});

test('who pushed while the pull request was closed must be trusted, whoever opens it again', async () => {
  const carol = await w.user();
  const { bob, repo, base, other, push, open, runs } = await setting({ pusher: carol });
  await w.collaborator(repo, bob, 'write');
  await push('a');
  const number = await open();
  await other.patch(`${base}/pulls/${number}`, { state: 'closed' });
  await w.settle();
  await push('b', await w.as(carol));
  await w.settle();
  expect((await other.patch(`${base}/pulls/${number}`, { state: 'open' })).status).toBe(200);
  await w.settle();
  const found = await runs();
  expect(found[0]).toEqual(['opened', 'queued']);
  expect(
    found
      .slice(1)
      .map(([action]) => action)
      .sort(),
  ).toEqual(['reopened', 'synchronize']);
  expect(found.slice(1).map(([, state]) => state)).toEqual(['action_required', 'action_required']);
});

test('everybody who pushed before the pull request was opened must be trusted', async () => {
  const carol = await w.user();
  const { bob, repo, push, open, runs } = await setting({ pusher: carol });
  await w.collaborator(repo, bob, 'write');
  await push('a', await w.as(carol));
  await w.settle();
  await push('b');
  await w.settle();
  await open();
  expect(await runs()).toEqual([['opened', 'action_required']]);
});

test('of several pushes that are followed together, each pusher must be trusted', async () => {
  const carol = await w.user();
  const { bob, repo, push, open, runs } = await setting({ pusher: carol });
  await w.collaborator(repo, bob, 'write');
  await push('a');
  await open();
  await push('b');
  await push('c', await w.as(carol));
  await w.settle();
  const found = await runs();
  expect(found[0]).toEqual(['opened', 'queued']);
  expect(found.length).toBeGreaterThan(1);
  expect(found.slice(1).every(([, state]) => state === 'action_required')).toBe(true);
});
