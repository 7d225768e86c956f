import { expect, test } from 'vitest';
import { addFile } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';

const w = await world();

async function setting(visibility: 'public' | 'private' = 'public') {
  const [ada, bob] = [await w.user(), await w.user()];
  const repo = await w.repo(ada, { visibility });
  const [client, asBob] = [await w.as(ada), await w.as(bob)];
  const base = `/repos/${ada.login}/${repo.name}`;
  const { commit } = await addFile(client, base);
  const comments = `${base}/commits/${commit}/comments`;
  return { ada, bob, repo, client, asBob, base, commit, comments };
}

const ids = ({ body }: { body: { id: number }[] }) => body.map(({ id }) => id);

test('every reader comments on a commit, on a file of it, and on a place in the file', async () => {
  const { bob, client, asBob, base, commit, comments } = await setting();
  const { status, body } = await asBob.post(comments, { body: 'Fine.' });
  expect(status).toBe(201);
  expect(body).toMatchObject({ body: 'Fine.', commit_id: commit, path: null, position: null, line: null });
  expect(body).toMatchObject({ user: { login: bob.login }, author_association: 'NONE', reactions: { total_count: 0 } });
  expect(body.url).toBe(`${w.url}/api/v3${base}/comments/${body.id}`);
  expect(body.html_url).toBe(`${w.url}/${base.slice('/repos/'.length)}/commit/${commit}#commitcomment-${body.id}`);
  const place = { path: 'src/pump.ts', position: 4, line: 12 };
  const { body: second } = await client.post(`${base}/commits/main/comments`, { body: 'This leaks.', ...place });
  expect(second).toMatchObject({ ...place, commit_id: commit, author_association: 'OWNER' });
  const { commit: other } = await addFile(client, base);
  const { body: third } = await client.post(`${base}/commits/${other}/comments`, { body: 'More.' });
  expect((await client.get(`${base}/comments/${body.id}`)).body).toEqual(body);
  expect(ids(await client.get(comments))).toEqual([body.id, second.id]);
  expect(ids(await client.get(`${base}/comments`))).toEqual([body.id, second.id, third.id]);
  expect(ids(await client.get(`${base}/comments?per_page=2&page=2`))).toEqual([third.id]);
  expect(ids(await (await w.as(undefined)).get(`${base}/comments`))).toHaveLength(3);
  const { body: history } = await client.get(`${base}/commits`);
  expect(history.map(({ commit }: { commit: { comment_count: number } }) => commit.comment_count)).toEqual([1, 2]);
});

test('texts are rendered as the request asks', async () => {
  const { client, comments } = await setting();
  await client.post(comments, { body: '**Bold**' });
  const of = async (media: string) =>
    (await client.get(comments, { headers: { accept: `application/vnd.service.${media}+json` } })).body[0];
  expect((await of('html')).body_html).toContain('<strong>Bold</strong>');
  expect((await of('text')).body_text).toBe('Bold');
  expect(await of('full')).toMatchObject({ body: '**Bold**', body_text: 'Bold' });
});

test('authors and those who may push change and delete a comment, others do not', async () => {
  const { repo, client, asBob, base, comments } = await setting();
  const eve = await w.user();
  const asEve = await w.as(eve);
  const { body } = await asBob.post(comments, { body: 'Fine.' });
  const path = `${base}/comments/${body.id}`;
  w.clock.now = new Date(w.clock.now.getTime() + 1_000);
  const changed = await asBob.patch(path, { body: 'Very fine.' });
  expect(changed).toMatchObject({ status: 200, body: { ...body, body: 'Very fine.', updated_at: expect.any(String) } });
  expect(changed.body.updated_at > body.updated_at).toBe(true);
  await w.unchanged(['commit_comments', 'events'], async () => {
    expect((await asEve.patch(path, { body: 'No.' })).status).toBe(403);
    expect((await asEve.delete(path)).status).toBe(403);
    expect((await asBob.patch(path, { body: '' })).status).toBe(422);
    expect((await asBob.patch(path, { body: 'Very fine.' })).status).toBe(200);
  });
  await w.collaborator(repo, eve, 'write');
  expect((await asEve.patch(path, { body: 'Fine, indeed.' })).status).toBe(200);
  expect((await client.delete(path)).status).toBe(204);
  expect((await client.get(path)).status).toBe(404);
  expect((await client.get(comments)).body).toEqual([]);
});

test('bad comments and unknown commits are refused and change nothing', async () => {
  const { client, base, comments } = await setting();
  await w.unchanged(['commit_comments', 'events'], async () => {
    const bad = [
      {},
      { body: '' },
      { body: 'x'.repeat(65_537) },
      { body: 'x', position: 1 },
      { body: 'x', path: 'a', position: 0 },
    ];
    for (const body of bad) expect((await client.post(comments, body)).status, JSON.stringify(body).slice(0, 60)).toBe(422);
    expect((await client.post(`${base}/commits/${'0'.repeat(40)}/comments`, { body: 'x' })).status).toBe(422);
    expect((await (await w.as(undefined)).post(comments, { body: 'x' })).status).toBe(401);
  });
});

test('who may not read the repository learns nothing; a token needs the permission for contents', async () => {
  const { ada, client, asBob, base, comments } = await setting('private');
  const { body } = await client.post(comments, { body: 'Secret.' });
  for (const path of [`${base}/comments`, comments, `${base}/comments/${body.id}`])
    expect((await asBob.get(path)).status, path).toBe(404);
  expect((await asBob.post(comments, { body: 'x' })).status).toBe(404);
  const reading = await w.as(await w.fineGrained(ada, ada, { contents: 'read' }));
  expect((await reading.get(comments)).status).toBe(200);
  expect((await reading.post(comments, { body: 'x' })).status).toBe(403);
  const writing = await w.as(await w.fineGrained(ada, ada, { contents: 'write' }));
  expect((await writing.post(comments, { body: 'x' })).status).toBe(201);
});

test('limits on interactions hold for comments and reactions', async () => {
  const { client, asBob, base, comments } = await setting();
  const { body } = await asBob.post(comments, { body: 'First.' });
  await client.put(`${base}/interaction-limits`, { limit: 'collaborators_only' });
  expect((await asBob.post(comments, { body: 'Second.' })).status).toBe(403);
  expect((await asBob.post(`${base}/comments/${body.id}/reactions`, { content: 'heart' })).status).toBe(403);
  expect((await client.post(comments, { body: 'Second.' })).status).toBe(201);
});

test('people react once of a kind and take it back; the comment counts it', async () => {
  const { client, asBob, base, comments } = await setting();
  const { body } = await client.post(comments, { body: 'Fine.' });
  const path = `${base}/comments/${body.id}`;
  const { status, body: heart } = await asBob.post(`${path}/reactions`, { content: 'heart' });
  expect(status).toBe(201);
  expect(await asBob.post(`${path}/reactions`, { content: 'heart' })).toMatchObject({ status: 200, body: { id: heart.id } });
  await client.post(`${path}/reactions`, { content: '+1' });
  expect((await client.get(path)).body.reactions).toMatchObject({
    total_count: 2,
    heart: 1,
    '+1': 1,
    url: `${body.url}/reactions`,
  });
  expect(ids(await client.get(`${path}/reactions?content=heart`))).toEqual([heart.id]);
  expect((await client.delete(`${path}/reactions/${heart.id}`)).status).toBe(403);
  expect((await asBob.delete(`${path}/reactions/${heart.id}`)).status).toBe(204);
  expect((await client.get(path)).body.reactions).toMatchObject({ total_count: 1, heart: 0 });
  await w.settle();
  expect((await client.delete(path)).status).toBe(204);
});

test('lists of comments send as many statements for one as for thirty', async () => {
  const { ada, asBob, base, comments } = await setting();
  await asBob.post(comments, { body: 'One.' });
  const counts = async () => [await w.statements(ada, comments), await w.statements(ada, `${base}/comments`)];
  const few = await counts();
  expect(few).toEqual([4, 4]);
  for (let at = 0; at < 29; at++) await asBob.post(comments, { body: `Comment ${at}` });
  expect(await counts()).toEqual(few);
});
