import { expect, test } from 'vitest';
import { eventsOf } from '#test/support/apps.ts';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, repo, statements, collaborator } = w;

async function setting() {
  const [owner, reader] = [await user(), await user()];
  const engine = await repo(owner);
  const path = `/repos/${owner.login}/${engine.name}`;
  const client = await as(owner);
  await client.post(`${path}/issues`, { title: 'It stalls' });
  const comment = (await client.post(`${path}/issues/1/comments`, { body: 'Here, too.' })).body;
  return { owner, reader, engine, path, client, subjects: [`${path}/issues/1`, `${path}/issues/comments/${comment.id}`] };
}

test('issues and comments are reacted to, counted, and the reactions taken back', async () => {
  const { owner, reader, client, subjects } = await setting();
  const other = await as(reader);
  for (const at of subjects) {
    const first = await other.post(`${at}/reactions`, { content: 'heart' });
    expect([first.status, first.body.content, first.body.user.login]).toEqual([201, 'heart', reader.login]);
    expect(await other.post(`${at}/reactions`, { content: 'heart' })).toMatchObject({ status: 200, body: { id: first.body.id } });
    expect((await client.post(`${at}/reactions`, { content: 'heart' })).status).toBe(201);
    expect((await client.post(`${at}/reactions`, { content: '+1' })).status).toBe(201);

    const { reactions } = (await client.get(at)).body;
    expect(reactions).toMatchObject({
      total_count: 3,
      heart: 2,
      '+1': 1,
      '-1': 0,
      url: expect.stringContaining(`${at}/reactions`),
    });
    expect((await client.get(`${at}/reactions`)).body).toHaveLength(3);
    expect((await client.get(`${at}/reactions?content=heart`)).body).toHaveLength(2);

    expect((await client.delete(`${at}/reactions/${first.body.id}`)).status).toBe(403);
    expect((await other.delete(`${at}/reactions/${first.body.id}`)).status).toBe(204);
    expect((await other.delete(`${at}/reactions/${first.body.id}`)).status).toBe(404);
    expect((await client.get(at)).body.reactions).toMatchObject({ total_count: 2, heart: 1 });
  }
  const told = await eventsOf(w, owner);
  expect(told.filter((kind) => kind === 'reaction.created')).toHaveLength(6);
  expect(told.filter((kind) => kind === 'reaction.deleted')).toHaveLength(2);
});

test('what nobody may react with is refused by its name, and a reaction elsewhere is not found', async () => {
  const { client, subjects } = await setting();
  const [issue = '', comment = ''] = subjects;
  for (const at of subjects) {
    const { status, body } = await client.post(`${at}/reactions`, { content: 'shrug' });
    expect([status, body.errors[0]]).toMatchObject([422, { resource: 'Reaction', field: 'content', code: 'invalid' }]);
  }
  const { body } = await client.post(`${issue}/reactions`, { content: 'eyes' });
  expect((await client.delete(`${comment}/reactions/${body.id}`)).status).toBe(404);
});

test('in a locked conversation only writers react', async () => {
  const { reader, client, path, subjects } = await setting();
  await client.put(`${path}/issues/1/lock`);
  const other = await as(reader);
  for (const at of subjects) {
    expect((await other.post(`${at}/reactions`, { content: 'eyes' })).status).toBe(403);
    expect((await client.post(`${at}/reactions`, { content: 'eyes' })).status).toBe(201);
  }
});

test('of reactions at the same time each counts once', async () => {
  const { reader, client, engine, subjects } = await setting();
  await collaborator(engine, reader, 'read');
  const other = await as(reader);
  const [issue = ''] = subjects;
  const contents = ['+1', 'heart', 'eyes', 'rocket'];
  const answers = await Promise.all(
    [client, other].flatMap((one) => [...contents, ...contents].map((content) => one.post(`${issue}/reactions`, { content }))),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(8).fill(200), ...Array(8).fill(201)]);
  expect((await client.get(issue)).body.reactions).toMatchObject({ total_count: 8, rocket: 2 });
});

test('a list of reactions costs as many statements for 1 as for 8', async () => {
  const { owner, client, subjects } = await setting();
  const [issue = ''] = subjects;
  await client.post(`${issue}/reactions`, { content: '+1' });
  const one = await statements(owner, `${issue}/reactions`);
  for (const content of ['-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes']) {
    await client.post(`${issue}/reactions`, { content });
  }
  expect(await statements(owner, `${issue}/reactions`)).toEqual(one);
});
