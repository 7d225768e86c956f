import { expect, test } from 'vitest';
import type { Tx } from '#database/connect.ts';
import { insertLabel } from '#resources/repositories/labels/store.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import { waitsForLock } from '#test/support/time.ts';
import { world } from '#test/support/world.ts';

const { as, user, repo, change, hearth } = await world();

async function setting() {
  const [owner, stranger] = [await user(), await user()];
  const engine = await repo(owner);
  const path = `/repos/${owner.login}/${engine.name}`;
  return { owner: await as(owner), stranger: await as(stranger), repo: engine, path };
}

test('a repository begins with labels; more are made, changed and deleted', async () => {
  const { owner, stranger, path } = await setting();
  expect((await stranger.get(`${path}/labels`)).body).toHaveLength(9);
  const made = await owner.post(`${path}/labels`, { name: 'engine', color: '#C0FFEE', description: 'Of the engine' });
  expect([made.status, made.body.color, made.body.default]).toEqual([201, 'c0ffee', false]);
  const changed = await owner.patch(`${path}/labels/ENGINE`, { new_name: 'motor', description: null });
  expect(changed.body).toMatchObject({ name: 'motor', color: 'c0ffee', description: null, id: made.body.id });
  expect((await owner.get(`${path}/labels/engine`)).status).toBe(404);
  expect((await owner.delete(`${path}/labels/motor`)).status).toBe(204);
});

test('a milestone tells the labels of its issues, each once', async () => {
  const { owner, path } = await setting();
  const milestone = (await owner.post(`${path}/milestones`, { title: 'v1' })).body.number;
  const place = `${path}/milestones/${milestone}/labels`;
  expect((await owner.get(place)).body).toEqual([]);
  for (const labels of [['question', 'bug'], ['bug']]) await owner.post(`${path}/issues`, { title: 'x', labels, milestone });
  await owner.post(`${path}/issues`, { title: 'of no milestone', labels: ['invalid'] });
  const named = async (query = '') => (await owner.get(place + query)).body.map(({ name }: { name: string }) => name);
  expect(await named()).toEqual(['bug', 'question']);
  expect(await named('?per_page=1&page=2')).toEqual(['question']);
});

test.each([
  [{ name: 'motor' }, 'motor'],
  [{ name: 'motor', new_name: 'pump' }, 'pump'],
])('%o renames a label to %s', async (wanted, name) => {
  const { owner, path } = await setting();
  const { body } = await owner.patch(`${path}/labels/bug`, wanted);
  expect(body).toMatchObject({ name, archived_at: null, archived_by: null });
  expect((await owner.get(`${path}/labels/${name}`)).body).toEqual(body);
  expect((await owner.patch(`${path}/labels/${name}`, { name: 'DUPLICATE' })).status).toBe(422);
});

test.each([
  [{ name: '' }, 'name'],
  [{ name: 'a,b' }, 'name'],
  [{ name: 'BUG' }, 'name'],
  [{ name: 'x', color: 'red' }, 'color'],
  [{ color: 'ffffff' }, 'name'],
])('%o is refused', async (wanted, field) => {
  const { owner, path } = await setting();
  const { status, body } = await owner.post(`${path}/labels`, wanted);
  expect([status, body.errors[0].field]).toEqual([422, field]);
});

test('only writers make labels and milestones', async () => {
  const { stranger, path } = await setting();
  expect((await stranger.post(`${path}/labels`, { name: 'x' })).status).toBe(403);
  expect((await stranger.post(`${path}/milestones`, { title: 'x' })).status).toBe(403);
});

test('milestones are numbered, count their issues, and are closed', async () => {
  const { owner, path } = await setting();
  const first = await owner.post(`${path}/milestones`, { title: 'v1', due_on: '2027-01-01T00:00:00Z' });
  expect([first.status, first.body.number, first.body.due_on]).toEqual([201, 1, '2027-01-01T00:00:00Z']);
  expect((await owner.post(`${path}/milestones`, { title: 'v1' })).status).toBe(422);
  expect((await owner.post(`${path}/milestones`, { title: 'v2' })).body.number).toBe(2);
  await owner.post(`${path}/issues`, { title: 'a', milestone: 1 });
  await owner.post(`${path}/issues`, { title: 'b', milestone: 1 });
  await owner.patch(`${path}/issues/1`, { state: 'closed' });
  expect((await owner.get(`${path}/milestones/1`)).body).toMatchObject({ open_issues: 1, closed_issues: 1 });
  expect((await owner.patch(`${path}/milestones/1`, { state: 'closed' })).body).toMatchObject({
    state: 'closed',
    closed_at: expect.any(String),
  });
  expect((await owner.get(`${path}/milestones`)).body).toHaveLength(1);
  expect((await owner.get(`${path}/milestones?state=all`)).body).toHaveLength(2);
  expect((await owner.delete(`${path}/milestones/1`)).status).toBe(204);
  expect((await owner.get(`${path}/issues/2`)).body.milestone).toBeNull();
});

test('a number that no milestone can have is refused', async () => {
  const owner = await user();
  const engine = await repo(owner);
  const client = await as(owner);
  const issues = `/repos/${owner.login}/${engine.name}/issues`;
  await client.post(issues, { title: 'It stalls' });
  for (const milestone of [0, 10_764_335_617, 2 ** 60, '99999999999']) {
    expect((await client.patch(`${issues}/1`, { milestone })).status, String(milestone)).toBe(422);
    expect((await client.post(issues, { title: 'x', milestone })).status, String(milestone)).toBe(422);
  }
});

test.each(['opens', 'closes'])('who %s an issue waits for new labels in their order, with the repository free', async (what) => {
  const { owner, path, repo } = await setting();
  const { body: issue } = await owner.post(`${path}/issues`, { title: 'first' });
  const make = (tx: Tx, name: string) =>
    insertLabel(tx, { repository_id: repo.id, name, color: 'ededed', description: null, is_default: false });
  const labels = ['new-c', 'new-b', 'new-a'];
  const waiting = await change(async (scope) => {
    await make(scope.tx, 'new-a');
    const sent =
      what === 'opens'
        ? owner.post(`${path}/issues`, { title: 'another', labels })
        : owner.patch(`${path}/issues/${issue.number}`, { state: 'closed', labels });
    const answer = sent.then((reply) => reply); // it is sent now
    await waitsForLock(hearth.worker.database.db, 'insert into labels');
    for (const name of ['new-b', 'new-c']) await make(scope.tx, name);
    await lockRepository(scope.tx, repo.id);
    return { answer };
  });
  const { status, body } = await waiting.answer;
  expect(status).toBe(what === 'opens' ? 201 : 200);
  expect(body.labels).toHaveLength(3);
  expect((await owner.get(path)).body.open_issues_count).toBe(what === 'opens' ? 2 : 0);
});
