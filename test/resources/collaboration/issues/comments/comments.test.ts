import { expect, test } from 'vitest';
import { eventsOf } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, repo, statements, collaborator, clock } = w;

async function setting() {
  const [owner, stranger] = [await user(), await user()];
  const engine = await repo(owner);
  const path = `/repos/${owner.login}/${engine.name}`;
  await (await as(owner)).post(`${path}/issues`, { title: 'It stalls' });
  return { owner, stranger, engine, path };
}

test('comments are written, counted, changed and deleted', async () => {
  const { owner, stranger, path } = await setting();
  const client = await as(stranger);
  const { status, body } = await client.post(`${path}/issues/1/comments`, { body: 'Here, too.' });
  expect([status, body.body, body.author_association]).toEqual([201, 'Here, too.', 'NONE']);
  expect((await client.get(`${path}/issues/1`)).body.comments).toBe(1);
  expect((await client.get(`${path}/issues/1/comments`)).body).toEqual([body]);
  expect((await client.get(`${path}/issues/comments`)).body).toEqual([body]);
  expect((await client.patch(`${path}/issues/comments/${body.id}`, { body: 'Not here.' })).body.body).toBe('Not here.');
  expect((await (await as(owner)).delete(`${path}/issues/comments/${body.id}`)).status).toBe(204);
  expect((await client.get(`${path}/issues/comments/${body.id}`)).status).toBe(404);
  expect((await client.get(`${path}/issues/1`)).body.comments).toBe(0);
  expect(await eventsOf(w, owner)).toEqual(
    expect.arrayContaining(['issue.opened', 'issue_comment.created', 'issue_comment.edited', 'issue_comment.deleted']),
  );
});

test('only its author and writers change a comment', async () => {
  const { owner, stranger, path } = await setting();
  const { body } = await (await as(owner)).post(`${path}/issues/1/comments`, { body: 'Mine.' });
  const at = `${path}/issues/comments/${body.id}`;
  expect((await (await as(stranger)).patch(at, { body: 'x' })).status).toBe(403);
  expect((await (await as(stranger)).delete(at)).status).toBe(403);
});

test('a locked conversation is for those who write', async () => {
  const { owner, stranger, engine, path } = await setting();
  const client = await as(owner);
  expect((await client.put(`${path}/issues/1/lock`, { lock_reason: 'too heated' })).status).toBe(204);
  expect((await client.get(`${path}/issues/1`)).body).toMatchObject({ locked: true, active_lock_reason: 'too heated' });
  expect((await (await as(stranger)).post(`${path}/issues/1/comments`, { body: 'x' })).status).toBe(403);
  expect((await client.post(`${path}/issues/1/comments`, { body: 'x' })).status).toBe(201);
  const triager = await user();
  await collaborator(engine, triager, 'triage');
  expect((await (await as(triager)).delete(`${path}/issues/1/lock`)).status).toBe(403);
  expect((await client.delete(`${path}/issues/1/lock`)).status).toBe(204);
  expect((await (await as(stranger)).post(`${path}/issues/1/comments`, { body: 'x' })).status).toBe(201);
});

test('labels and assignees of an issue are put on and taken off', async () => {
  const { owner, stranger, path } = await setting();
  const client = await as(owner);
  const names = (answer: { body: { name: string }[] }) => answer.body.map(({ name }) => name);
  expect(names(await client.post(`${path}/issues/1/labels`, { labels: ['bug', 'question'] }))).toEqual(['bug', 'question']);
  expect(names(await client.put(`${path}/issues/1/labels`, ['wontfix', 'bug']))).toEqual(['bug', 'wontfix']);
  expect(names(await client.delete(`${path}/issues/1/labels/BUG`))).toEqual(['wontfix']);
  expect((await client.delete(`${path}/issues/1/labels/bug`)).status).toBe(404);
  expect((await client.delete(`${path}/issues/1/labels`)).status).toBe(204);
  expect(names(await client.get(`${path}/issues/1/labels`))).toEqual([]);
  const assigned = await client.post(`${path}/issues/1/assignees`, { assignees: [owner.login, stranger.login] });
  expect(assigned.body.assignees.map(({ login }: { login: string }) => login)).toEqual([owner.login]);
  expect((await client.get(`${path}/assignees/${owner.login}`)).status).toBe(204);
  expect((await client.get(`${path}/assignees/${stranger.login}`)).status).toBe(404);
  expect((await client.delete(`${path}/issues/1/assignees`, { assignees: [owner.login] })).body.assignees).toEqual([]);
  expect((await (await as(stranger)).post(`${path}/issues/1/labels`, { labels: ['bug'] })).status).toBe(403);
});

test('what changes an issue is answered with its new time of change, and what changes nothing with the old one', async () => {
  const { owner, path } = await setting();
  const client = await as(owner);
  const opened = await client.get(`${path}/issues/1`);
  clock.now = new Date(clock.now.getTime() + 1_000);
  const assigned = await client.post(`${path}/issues/1/assignees`, { assignees: [owner.login] });
  expect(Date.parse(assigned.body.updated_at) - Date.parse(opened.body.updated_at)).toBe(1_000);
  expect((await client.get(`${path}/issues/1`)).body).toEqual(assigned.body);
  clock.now = new Date(clock.now.getTime() + 1_000);
  const same = { title: opened.body.title, state: 'open', assignees: [owner.login], labels: [], milestone: null };
  expect((await client.patch(`${path}/issues/1`, same)).body).toEqual(assigned.body);
});

test('a page of 60 comments costs as many statements as one of 1', async () => {
  const { owner, path } = await setting();
  const client = await as(owner);
  const write = () => client.post(`${path}/issues/1/comments`, { body: 'x' });
  await write();
  const one = await statements(owner, `${path}/issues/1/comments?per_page=100`);
  await Promise.all(Array.from({ length: 59 }, write));
  expect(await statements(owner, `${path}/issues/1/comments?per_page=100`)).toBe(one);
});
