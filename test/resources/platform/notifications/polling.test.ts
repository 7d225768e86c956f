import { expect, test } from 'vitest';
import { defaultLimits } from '#access/rate-limits.ts';
import { countStatements } from '#database/client.ts';
import { requestLimits } from '#lib/limits/requests.ts';
import type { Answer } from '#test/support/client.ts';
import { world } from '#test/support/world.ts';
import { inbox, makeStage } from './stage.ts';

const w = await world({ limits: defaultLimits });

async function stageFor() {
  const [ada, bob] = [await w.user(), await w.user()];
  const stage = await makeStage(w, ada);
  const issue = await stage.open(bob);
  const made = await stage.comment(ada, issue);
  const asBob = await w.as(bob);
  const [thread] = await inbox(asBob);
  return { ada, bob, asAda: await w.as(ada), asBob, issue, made, stage, path: `/notifications/threads/${thread?.id}` };
}
type Stage = Awaited<ReturnType<typeof stageFor>>;

const modified = ({ headers }: Answer): string => headers['last-modified'] ?? '';
const since = (time: string) => ({ headers: { 'if-modified-since': time } });

const changes: readonly (readonly [name: string, change: (stage: Stage) => Promise<unknown>])[] = [
  ['something new', ({ stage, ada, issue }) => stage.comment(ada, issue)],
  ['PATCH', ({ asBob, path }) => asBob.patch(path)],
  ['PUT', ({ asBob }) => asBob.put('/notifications')],
  ['DELETE', ({ asBob, path }) => asBob.delete(path)],
  ['ignoring', ({ asBob, path }) => asBob.put(`${path}/subscription`, { ignored: true })],
  ['muting', ({ asBob, path }) => asBob.delete(`${path}/subscription`)],
  ['a new title', ({ asAda, issue }) => asAda.patch(issue, { title: 'The pump leaks badly' })],
  ['a comment that is deleted', ({ asAda, made }) => asAda.delete(new URL(made.url).pathname.slice('/api/v3'.length))],
  ['a new name of the repository', ({ asAda, stage }) => asAda.patch(stage.base, { name: `${stage.repo.name}-2` })],
  ['a repository turned private', ({ asAda, stage }) => asAda.patch(stage.base, { private: true })],
];

test.each(changes)('Last-Modified is another after %s, within the same second too', async (_, change) => {
  const stage = await stageFor();
  const { asBob } = stage;
  const first = await asBob.get('/notifications?all=true');
  const again = await asBob.get('/notifications?all=true', since(modified(first)));
  expect(again).toMatchObject({ status: 304, text: '' });
  expect(again.headers).toMatchObject({ 'last-modified': modified(first), 'x-poll-interval': '60' });
  await change(stage);
  await w.settle();
  const after = await asBob.get('/notifications?all=true', since(modified(first)));
  expect(after.status).toBe(200);
  expect(Date.parse(modified(after))).toBeGreaterThan(Date.parse(modified(first)));
  expect((await asBob.get('/notifications?all=true', since(modified(after)))).status).toBe(304);
});

test('many changes within a second have a time each', async () => {
  const { asBob, path } = await stageFor();
  const times: string[] = [];
  for (const ignored of [true, false, true, false]) {
    await asBob.put(`${path}/subscription`, { ignored });
    times.push(modified(await asBob.get('/notifications')));
  }
  expect(new Set(times).size).toBe(4);
  for (const time of times.slice(0, -1)) expect((await asBob.get('/notifications', since(time))).status).toBe(200);
});

test('only the exact time is taken for an answer, and an entity tag decides alone', async () => {
  const { asBob, path } = await stageFor();
  for (const polled of ['/notifications', path, `${path}/subscription`]) {
    const first = await asBob.get(polled);
    const time = modified(first);
    const another = new Date(Date.parse(time) + 60_000).toUTCString();
    expect((await asBob.get(polled, since(time))).status).toBe(304);
    for (const other of [another, new Date(0).toUTCString(), 'yesterday'])
      expect([other, (await asBob.get(polled, since(other))).status]).toEqual([other, 200]);
    const tagged = (tag: string) => ({ headers: { 'if-modified-since': time, 'if-none-match': tag } });
    expect((await asBob.get(polled, tagged('"other"'))).status).toBe(200);
    expect((await asBob.get(polled, tagged(first.headers.etag ?? ''))).status).toBe(304);
  }
});

test('the list of a repository is polled alike, and an inbox where nothing happened yet', async () => {
  const { asAda, stage } = await stageFor();
  for (const [client, path] of [
    [asAda, `${stage.base}/notifications`],
    [await w.as(await w.user()), '/notifications'],
  ] as const) {
    const first = await client.get(path);
    expect(first.headers['x-poll-interval']).toBe('60');
    expect((await client.get(path, since(modified(first)))).status).toBe(304);
  }
});

test('the first change of an inbox is seen by who polled it before, in the second in which the account was made', async () => {
  const [ada, bob] = [await w.user(), await w.user()];
  const asBob = await w.as(bob);
  const before = await asBob.get('/notifications');
  const { open, comment } = await makeStage(w, ada);
  await comment(ada, await open(bob));
  expect(await asBob.get('/notifications', since(modified(before)))).toMatchObject({ status: 200, body: [{ reason: 'author' }] });
});

test('a 304 costs nothing of the rate limit, and looks at one row of the inbox', async () => {
  const { bob } = await stageFor();
  const authorization = `Bearer ${await w.token(bob)}`;
  const poll = (time: string) =>
    w.hearth.app.inject({ url: '/api/v3/notifications', headers: { authorization, 'if-modified-since': time } });
  const first = await poll('');
  const { result, statements } = await countStatements(() => poll(String(first.headers['last-modified'])));
  expect(result.statusCode).toBe(304);
  expect(result.headers['x-ratelimit-used']).toBe(first.headers['x-ratelimit-used']);
  expect(statements.filter((text) => text.includes('notification_'))).toEqual([expect.stringContaining('notification_inboxes')]);
});

test('the interval between polls grows where more than half of the places for requests are taken', async () => {
  const { asBob } = await stageFor();
  const { limiters, resourceLimits } = w.hearth.services;
  const callers = Array.from({ length: Math.ceil(resourceLimits.of(requestLimits).concurrent / 2) }, (_, at) => ({
    kind: 'signed_in' as const,
    key: `load-${at}`,
  }));
  const held = await Promise.all(callers.map((caller) => limiters.requests.acquire(caller)));
  expect((await asBob.get('/notifications')).headers['x-poll-interval']).toBe('120');
  for (const release of held) release();
  expect((await asBob.get('/notifications')).headers['x-poll-interval']).toBe('60');
});
