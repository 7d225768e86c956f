// Threads of commits: who is told of comments on them.
import { expect, test } from 'vitest';
import { addFile } from '#test/resources/code/commits/setting.ts';
import { world } from '#test/support/world.ts';
import { inbox, makeStage, reasonsIn } from './stage.ts';

const w = await world();
const later = () => {
  w.clock.now = new Date(w.clock.now.getTime() + 2_000);
};

/** A commit of somebody who watches nothing, in a repository that ada watches. */
async function place(visibility: 'public' | 'private' = 'public') {
  const people = [await w.user(), await w.user(), await w.user()] as const;
  const [ada, bob, eve] = people;
  const { base, repo } = await makeStage(w, ada, visibility);
  const [asAda, asBob, asEve] = [await w.as(ada), await w.as(bob), await w.as(eve)];
  const { commit } = await addFile(asAda, base);
  await w.settle();
  const comment = async (client: typeof asAda, body: string) => {
    later();
    const answer = await client.post(`${base}/commits/${commit}/comments`, { body });
    expect(answer.status).toBe(201);
    await w.settle();
    return answer.body;
  };
  return { ada, bob, eve, asAda, asBob, asEve, base, repo, commit, comment };
}

test('a comment is told to watchers, and a later one also to who commented; nobody is told of their own', async () => {
  const { asAda, asBob, asEve, base, commit, comment } = await place();
  const first = await comment(asBob, 'This leaks.');
  const { body } = await asAda.get('/notifications');
  const url = `${w.url}/api/v3${base}/commits/${commit}`;
  expect(body).toHaveLength(1);
  expect(body[0].subject).toMatchObject({ type: 'Commit', url, latest_comment_url: first.url });
  expect(await inbox(asBob)).toEqual([]);
  const second = await comment(asEve, 'It does.');
  expect(await reasonsIn(asBob)).toEqual(['comment']);
  expect((await asAda.get('/notifications')).body).toMatchObject([{ subject: { latest_comment_url: second.url } }]);
  expect(await inbox(asEve)).toEqual([]);
});

test('the author of the commit is told', async () => {
  const { asAda, asEve, base, comment } = await place();
  const asBob = await w.as(await w.user(undefined, { email: 'bob@example.org' }));
  const content = Buffer.from('text').toString('base64');
  const author = { name: 'Bob', email: 'bob@example.org' };
  const { body } = await asAda.put(`${base}/contents/by-bob`, { message: 'By Bob', content, author });
  later();
  await asEve.post(`${base}/commits/${body.commit.sha}/comments`, { body: 'Fine.' });
  await w.settle();
  expect(await inbox(asBob)).toMatchObject([{ reason: 'author', title: 'By Bob' }]);
  await comment(asEve, 'Another commit.');
  expect(await inbox(asBob)).toHaveLength(1);
});

test('who is mentioned is told, also where a change mentions them', async () => {
  const { bob, eve, asAda, asBob, asEve, base, comment } = await place();
  const { id } = await comment(asAda, `See it, @${bob.login}`);
  expect(await reasonsIn(asBob)).toEqual(['mention']);
  expect(await inbox(asEve)).toEqual([]);
  later();
  await asBob.patch(`/notifications/threads/${(await inbox(asBob))[0]?.id}`);
  await asAda.patch(`${base}/comments/${id}`, { body: `See it, @${bob.login} and @${eve.login}` });
  await w.settle();
  expect(await reasonsIn(asEve)).toEqual(['mention']);
  expect(await inbox(asBob)).toEqual([]);
});

test('who may not read the repository is not told', async () => {
  const { bob, asAda, asBob, comment } = await place('private');
  await comment(asAda, `See it, @${bob.login}`);
  expect(await inbox(asBob)).toEqual([]);
});

test('of a deleted comment, the thread leads to the commit', async () => {
  const { asAda, asBob, base, commit, comment } = await place();
  const { id } = await comment(asBob, 'This leaks.');
  await asBob.delete(`${base}/comments/${id}`);
  await w.settle();
  const url = `${w.url}/api/v3${base}/commits/${commit}`;
  expect((await asAda.get('/notifications')).body).toMatchObject([{ subject: { url, latest_comment_url: url } }]);
});
