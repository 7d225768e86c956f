// Threads of releases: who is told when one is published.
import { expect, test } from 'vitest';
import { addFile } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';
import { inbox, makeStage, reasonsIn } from './stage.ts';

const w = await world();
const later = () => {
  w.clock.now = new Date(w.clock.now.getTime() + 2_000);
};

/** A repository of ada's with a commit, which bob watches, and eve and ada don't. */
async function place(visibility: 'public' | 'private' = 'public') {
  const [ada, bob, eve] = [await w.user(), await w.user(), await w.user()];
  const { base, repo } = await makeStage(w, ada, visibility);
  const [asAda, asBob, asEve] = [await w.as(ada), await w.as(bob), await w.as(eve)];
  await addFile(asAda, base);
  if (visibility === 'private') await w.collaborator(repo, bob, 'read');
  await asBob.put(`${base}/subscription`, { subscribed: true });
  await w.settle();
  const release = async (body: object) => {
    later();
    const answer = await asAda.post(`${base}/releases`, { tag_name: 'v1', ...body });
    expect(answer.status).toBe(201);
    await w.settle();
    return answer.body;
  };
  const change = async (id: number, body: object) => {
    later();
    expect((await asAda.patch(`${base}/releases/${id}`, body)).status).toBe(200);
    await w.settle();
  };
  return { ada, bob, eve, asAda, asBob, asEve, base, repo, release, change };
}

test.each([{ prerelease: false }, { prerelease: true }])(
  'a release is told to watchers, and not to its author: %o',
  async (kind) => {
    const { asAda, asBob, asEve, release } = await place();
    const { url } = await release({ ...kind, name: 'First' });
    const { body } = await asBob.get('/notifications');
    expect(body).toMatchObject([{ reason: 'subscribed', unread: true, subject: { type: 'Release', title: 'First', url } }]);
    expect(body[0].subject.latest_comment_url).toBe(url);
    expect((await asBob.get(new URL(url).pathname.replace('/api/v3', ''))).body.name).toBe('First');
    expect([await inbox(asAda), await inbox(asEve)]).toEqual([[], []]);
  },
);

test('a draft is told when it is published; the thread shows its present name, and goes with it', async () => {
  const { asBob, base, asAda, release, change } = await place();
  const { id } = await release({ draft: true, body: 'Soon' });
  expect(await inbox(asBob)).toEqual([]);
  await change(id, { draft: false });
  expect(await inbox(asBob)).toMatchObject([{ reason: 'subscribed', title: 'v1' }]);
  const { headers } = await asBob.get('/notifications');
  await change(id, { name: 'Named' });
  const again = await asBob.get('/notifications', { headers: { 'if-modified-since': headers['last-modified'] ?? '' } });
  expect([again.status, again.body[0].subject.title]).toEqual([200, 'Named']);
  await change(id, { draft: true });
  expect(await inbox(asBob)).toEqual([]);
  await change(id, { draft: false });
  expect(await inbox(asBob)).toHaveLength(1);
  expect((await asAda.delete(`${base}/releases/${id}`)).status).toBe(204);
  expect(await inbox(asBob)).toEqual([]);
});

test('whom the notes mention is told with that reason, newly or by a later change, and never of a draft', async () => {
  const { bob, eve, ada, asAda, asBob, asEve, release, change } = await place();
  const { id } = await release({ body: `Thanks to @${bob.login} and @${ada.login}`, draft: true });
  await change(id, { body: `Thanks to @${bob.login}, @${ada.login}, and to all` });
  expect(await inbox(asBob)).toEqual([]);
  await change(id, { draft: false });
  expect([await reasonsIn(asBob), await inbox(asAda)]).toEqual([['mention'], []]);
  expect(await inbox(asEve)).toEqual([]);
  await asBob.put('/notifications', {});
  await change(id, { body: `Thanks to @${bob.login} and @${eve.login}` });
  expect(await reasonsIn(asEve)).toEqual(['mention']);
  expect(await inbox(asBob)).toEqual([]);
  await change(id, { name: 'Another name' });
  expect(await inbox(asBob)).toEqual([]);
});

test('who may not read the repository, or ignores it, is not told', async () => {
  const { bob, eve, asBob, asEve, base, release } = await place('private');
  await asBob.put(`${base}/subscription`, { ignored: true });
  await release({ body: `@${bob.login} @${eve.login}` });
  expect([await inbox(asBob), await inbox(asEve)]).toEqual([[], []]);
});
