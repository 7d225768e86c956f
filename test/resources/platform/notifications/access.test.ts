// Document 2: classic personal tokens alone, with one of two scopes; 403 for others, 401 for nobody, and one's own threads alone.
import { expect, test } from 'vitest';
import type { Scope } from '#access/scopes.ts';
import { installApp, oauthToken } from '#test/support/apps.ts';
import type { Answer, Client } from '#test/support/client.ts';
import { world } from '#test/support/world.ts';
import { inbox, makeStage } from './stage.ts';

const w = await world();
const [ada, bob] = [await w.user(), await w.user()];
const stage = await makeStage(w, ada);
await stage.comment(ada, await stage.open(bob));
const [thread] = await inbox(await w.as(bob));
const path = `/notifications/threads/${thread?.id}`;

const operations: readonly (readonly [name: string, ask: (client: Client) => Promise<Answer>])[] = [
  ['GET /notifications', (client) => client.get('/notifications')],
  ['PUT /notifications', (client) => client.put('/notifications')],
  ['GET thread', (client) => client.get(path)],
  ['PATCH thread', (client) => client.patch(path)],
  ['GET subscription', (client) => client.get(`${path}/subscription`)],
  ['PUT subscription', (client) => client.put(`${path}/subscription`)],
  ['DELETE subscription', (client) => client.delete(`${path}/subscription`)],
  ['DELETE thread', (client) => client.delete(path)],
  ['GET notifications of a repository', (client) => client.get(`${stage.base}/notifications`)],
  ['PUT notifications of a repository', (client) => client.put(`${stage.base}/notifications`)],
];

test.each(operations)(
  '%s: 401 without a token, 403 for other kinds and without a scope, 2xx with one of both',
  async (_, ask) => {
    const app = await installApp(w, { on: bob, permissions: { metadata: 'read', issues: 'write' } });
    const refused = [
      await w.fineGrained(bob, bob, { metadata: 'read', issues: 'write' }),
      await oauthToken(w, bob, ['repo', 'notifications']),
      app.token,
      await app.userToken(bob),
      await w.token(bob, []),
      await w.token(bob, ['user', 'admin:org', 'gist']),
    ];
    expect((await ask(await w.as(undefined))).status).toBe(401);
    for (const token of refused) expect((await ask(await w.as(token))).status).toBe(403);
    for (const scope of ['notifications', 'repo'] satisfies Scope[])
      expect((await ask(await w.as(await w.token(bob, [scope])))).status).toBeLessThan(300);
  },
);

test('somebody else’s thread is absent, as one that never was', async () => {
  const asAda = await w.as(ada);
  for (const id of [thread?.id, '999999999']) {
    const other = `/notifications/threads/${id}`;
    const answers = [
      await asAda.get(other),
      await asAda.patch(other),
      await asAda.delete(other),
      await asAda.get(`${other}/subscription`),
      await asAda.put(`${other}/subscription`),
      await asAda.delete(`${other}/subscription`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  }
});

test('the scope notifications shows one’s threads of private repositories, as it is for that', async () => {
  const closed = await makeStage(w, ada, 'private');
  await w.collaborator(closed.repo, bob, 'read');
  await closed.comment(ada, await closed.open(bob, { title: 'Closed' }));
  const client = await w.as(await w.token(bob, ['notifications']));
  expect(await inbox(client)).toMatchObject([{ title: 'Closed' }]);
  expect(await inbox(client, `${closed.base}/notifications`)).toMatchObject([{ title: 'Closed' }]);
  expect((await client.get(closed.base)).status).toBe(404);
});
