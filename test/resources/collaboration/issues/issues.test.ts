import { describe, expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const w = await world();
const { as, user, org, repo, collaborator, token, fineGrained, statements, unchanged } = w;

/** An organization's public repository with its people. */
async function setting(visibility: 'public' | 'private' = 'public') {
  const [owner, triager, reader, stranger] = [await user(), await user(), await user(), await user()];
  const acme = await org(owner);
  const engine = await repo(acme, { by: owner, visibility });
  await collaborator(engine, triager, 'triage');
  await collaborator(engine, reader, 'read');
  return { owner, triager, reader, stranger, acme, engine, path: `/repos/${acme.login}/${engine.name}` };
}

describe('opening', () => {
  test('whoever reads a public repository may open an issue; what only sorters may say is left out', async () => {
    const { stranger, path } = await setting();
    const { status, body, headers } = await (await as(stranger)).post(`${path}/issues`, {
      title: 'It stalls',
      body: 'After an hour.',
      labels: ['bug', 'new one'],
      assignees: [stranger.login],
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      number: 1,
      state: 'open',
      title: 'It stalls',
      labels: [],
      assignees: [],
      comments: 0,
      author_association: 'NONE',
    });
    expect(headers.location).toBe(body.url);
  });

  test('who sorts issues labels, assigns and plans while opening; labels that are missing are made', async () => {
    const { triager, owner, path } = await setting();
    const client = await as(triager);
    await (await as(owner)).post(`${path}/milestones`, { title: 'v1' });
    const { body } = await client.post(`${path}/issues`, {
      title: 'It stalls',
      labels: ['BUG', { name: 'new one' }],
      assignees: [owner.login.toUpperCase()],
      milestone: 1,
    });
    expect(body.labels.map(({ name }: { name: string }) => name)).toEqual(['bug', 'new one']);
    expect(body.assignees.map(({ login }: { login: string }) => login)).toEqual([owner.login]);
    expect(body.milestone).toMatchObject({ title: 'v1', open_issues: 1 });
    expect((await client.get(path)).body.open_issues_count).toBe(1);
  });

  test('numbers are without gaps when many open at once', async () => {
    const { owner, path } = await setting();
    const client = await as(owner);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => client.post(`${path}/issues`, { title: `Issue ${at}` })),
    );
    expect(answers.map(({ body }) => body.number).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  });

  test.each([
    ['no title', {}, 'title'],
    ['a blank title', { title: '   ' }, 'title'],
    ['a title that is an object', { title: {} }, 'title'],
    ['a body that is too long', { title: 'x', body: 'x'.repeat(65_537) }, 'body'],
    ['an unknown milestone', { title: 'x', milestone: 9 }, 'milestone'],
    ['an assignee who is nobody', { title: 'x', assignees: ['nobody-here'] }, 'assignees'],
    ['a null character', { title: 'a\0b' }, 'title'],
  ])('%s is refused, and nothing is written', async (_what, wanted, field) => {
    const { owner, path } = await setting();
    await unchanged(['issues', 'labels', 'repositories', 'events'], async () => {
      const { status, body } = await (await as(owner)).post(`${path}/issues`, wanted);
      expect([status, body.errors[0].field]).toEqual([422, field]);
    });
  });
});

test.each([
  ['a blank title', { title: ' ' }, 'title', 'missing_field'],
  ['an end for the reason reopened', { state: 'closed', state_reason: 'reopened' }, 'state_reason', 'invalid'],
])('%s of an issue that is there is refused, and nothing is written', async (_what, wanted, field, code) => {
  const { owner, path } = await setting();
  const client = await as(owner);
  await client.post(`${path}/issues`, { title: 'x' });
  await unchanged(['issues', 'issue_events', 'events'], async () =>
    expect(await client.patch(`${path}/issues/1`, wanted)).toMatchObject({ status: 422, body: { errors: [{ field, code }] } }),
  );
});

describe('who may', () => {
  test('nobody without a credential opens an issue; nor does one without the scope or permission', async () => {
    const { owner, acme, engine, path } = await setting('private');
    const wanted = { title: 'x' };
    expect((await (await as(undefined)).post(`${path}/issues`, wanted)).status).toBe(404);
    expect((await (await as(await token(owner, ['read:org']))).post(`${path}/issues`, wanted)).status).toBe(404);
    expect((await (await as(await fineGrained(owner, acme, { issues: 'read' }))).post(`${path}/issues`, wanted)).status).toBe(
      403,
    );
    expect(
      (await (await as(await fineGrained(owner, acme, { issues: 'write' }, [engine]))).post(`${path}/issues`, wanted)).status,
    ).toBe(201);
  });

  test('a private repository has no issues for outsiders', async () => {
    const { owner, stranger, path } = await setting('private');
    await (await as(owner)).post(`${path}/issues`, { title: 'secret' });
    const client = await as(stranger);
    for (const at of [
      '/issues',
      '/issues/1',
      '/issues/1/comments',
      '/issues/comments',
      '/issues/1/labels',
      '/labels',
      '/milestones',
    ])
      expect((await client.get(path + at)).status, at).toBe(404);
  });

  test('authors change and close their own; others need to sort issues', async () => {
    const { stranger, reader, triager, path } = await setting();
    await (await as(stranger)).post(`${path}/issues`, { title: 'mine' });
    expect((await (await as(reader)).patch(`${path}/issues/1`, { state: 'closed' })).status).toBe(403);
    const own = await (await as(stranger)).patch(`${path}/issues/1`, { title: 'still mine', state: 'closed', labels: ['bug'] });
    expect(own.body).toMatchObject({
      title: 'still mine',
      state: 'closed',
      state_reason: 'completed',
      labels: [],
      closed_by: { login: stranger.login },
    });
    const again = await (await as(triager)).patch(`${path}/issues/1`, { state: 'open', labels: ['bug'] });
    expect(again.body).toMatchObject({ state: 'open', state_reason: 'reopened', closed_at: null, closed_by: null });
    expect(again.body.labels).toHaveLength(1);
  });

  test('an archived repository takes no issue, and one with issues switched off has none', async () => {
    const { owner, path } = await setting();
    const client = await as(owner);
    await client.patch(path, { has_issues: false });
    expect((await client.get(`${path}/issues`)).status).toBe(410);
    expect((await client.post(`${path}/issues`, { title: 'x' })).status).toBe(410);
    await client.patch(path, { has_issues: true, archived: true });
    expect((await client.post(`${path}/issues`, { title: 'x' })).status).toBe(403);
  });

  test("another repository's number, comment and label are not found here", async () => {
    const [one, other] = [await setting(), await setting()];
    const client = await as(one.owner);
    const { body: comment } = await (async () => {
      await (await as(other.owner)).post(`${other.path}/issues`, { title: 'x' });
      return (await as(other.owner)).post(`${other.path}/issues/1/comments`, { body: 'y' });
    })();
    expect((await client.get(`${one.path}/issues/1`)).status).toBe(404);
    expect((await client.get(`${one.path}/issues/comments/${comment.id}`)).status).toBe(404);
    expect((await client.patch(`${one.path}/issues/comments/${comment.id}`, { body: 'z' })).status).toBe(404);
  });
});

describe('lists', () => {
  test('filters', async () => {
    const { owner, triager, reader, path } = await setting();
    const client = await as(triager);
    await (await as(owner)).post(`${path}/milestones`, { title: 'v1' });
    await client.post(`${path}/issues`, { title: 'one', labels: ['bug'], milestone: 1, assignees: [owner.login] });
    await client.post(`${path}/issues`, { title: 'two', labels: ['bug', 'question'], body: `ask @${reader.login}, please` });
    await (await as(reader)).post(`${path}/issues`, { title: 'three' });
    await client.patch(`${path}/issues/3`, { state: 'closed', state_reason: 'not_planned' });
    const titles = async (query: string) =>
      (await client.get(`${path}/issues?${query}`)).body.map(({ title }: { title: string }) => title);
    expect(await titles('')).toEqual(['two', 'one']);
    expect(await titles('state=all&direction=asc')).toEqual(['one', 'two', 'three']);
    expect(await titles('state=closed')).toEqual(['three']);
    expect(await titles('labels=bug')).toEqual(['two', 'one']);
    expect(await titles('labels=bug,Question')).toEqual(['two']);
    expect(await titles('milestone=1')).toEqual(['one']);
    expect(await titles('milestone=none')).toEqual(['two']);
    expect(await titles('milestone=*')).toEqual(['one']);
    expect(await titles(`assignee=${owner.login}`)).toEqual(['one']);
    expect(await titles('assignee=none')).toEqual(['two']);
    expect(await titles('assignee=*')).toEqual(['one']);
    expect(await titles(`creator=${reader.login}&state=all`)).toEqual(['three']);
    expect(await titles(`mentioned=${reader.login}`)).toEqual(['two']);
    expect(await titles('creator=nobody-here')).toEqual([]);
  });

  test('issues over many repositories are those that the credential reads', async () => {
    const { owner, acme, engine, path } = await setting('private');
    await (await as(owner)).post(`${path}/issues`, { title: 'secret', assignees: [owner.login] });
    const count = async (who: string) => (await (await as(who)).get('/issues')).body.length;
    expect(await count(await token(owner))).toBe(1);
    expect(await count(await token(owner, ['public_repo', 'read:org']))).toBe(0);
    expect(await count(await fineGrained(owner, acme, { issues: 'read' }, [engine]))).toBe(1);
    expect(await count(await fineGrained(owner, owner, { issues: 'read' }))).toBe(0);
    const { body } = await (await as(owner)).get(`/orgs/${acme.login}/issues?filter=all`);
    expect(body[0].repository.full_name).toBe(`${acme.login}/${engine.name}`);
  });

  test('a page of 60 issues costs as many statements as one of 1', async () => {
    const { owner, path } = await setting();
    const client = await as(owner);
    await client.post(`${path}/milestones`, { title: 'v1' });
    const open = () => client.post(`${path}/issues`, { title: 'x', labels: ['bug'], assignees: [owner.login], milestone: 1 });
    await open();
    await statements(owner, `${path}/issues`); // the token is known from then on
    const one = await statements(owner, `${path}/issues?per_page=100`);
    await Promise.all(Array.from({ length: 59 }, open));
    expect(await statements(owner, `${path}/issues?per_page=100`)).toBe(one);
    expect(one).toBeLessThanOrEqual(9);
  });
});
