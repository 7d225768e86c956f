import { Agent, request } from 'node:http';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { change } from '#database/connect.ts';
import { world } from '#test/support/world.ts';

const limits = {
  concurrent: 4,
  concurrentPerCaller: 2,
  concurrentAnonymous: 2,
  waiting: 3,
  waitingTime: 300_000,
  contendedTime: 500,
};
const here = await world({ resourceLimits: { requests: limits }, trustedProxies: ['127.0.0.1'] });
const { user, repo: makeRepo, token, db } = here;
const ada = await user('ada');
const repo = await makeRepo(ada, { name: 'engine' });
const [own, others] = [await token(ada), await token(await user('bob'))];
const agent = new Agent({ keepAlive: true });

type From = { token?: string; address?: string; signal?: AbortSignal };

/** The status of a GET, and its `Retry-After`; status 0 for one that was given up. */
function get(path: string, { token, address = '192.0.2.1', signal }: From): Promise<{ status: number; retryAfter?: string }> {
  return new Promise((resolve) => {
    const headers = { 'x-forwarded-for': address, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
    const sent = request(`${here.url}/api/v3${path}`, { agent, headers, signal }, (reply) => {
      const retryAfter = reply.headers['retry-after'];
      const done = { status: reply.statusCode ?? 0, ...(retryAfter === undefined ? {} : { retryAfter }) };
      reply.on('end', () => resolve(done)).resume();
    });
    sent.on('error', () => resolve({ status: 0 })).end();
  });
}

const issues = `/repos/ada/${repo.name}/issues`;

/** Keeps every list of issues waiting for the database while `work` is done. */
async function whileIssuesWait(work: () => Promise<void>): Promise<void> {
  await change(db, async (tx) => {
    await sql`lock table issues in access exclusive mode`.execute(tx);
    await work();
  });
}

/** How many statements wait for a lock: asked on a connection of jobs, since those of requests may be behind such a statement. */
const locked = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(here.hearth.worker.database.db);
  return rows[0]?.count ?? 0;
};

const statusesOf = async (replies: Promise<{ status: number }>[]): Promise<number[]> =>
  (await Promise.all(replies)).map(({ status }) => status);

/** Sends eight requests: two are under way, three wait in line, and three find no place in it. */
async function fillTheLine(from: (index: number) => From): Promise<Promise<{ status: number }>[]> {
  const refused: unknown[] = [];
  const replies = Array.from({ length: 8 }, async (_, index) => {
    const reply = await get(issues, from(index));
    if (reply.status !== 200) refused.push(reply);
    return reply;
  });
  await expect.poll(() => refused).toEqual(Array(3).fill({ status: 429, retryAfter: '5' }));
  await expect.poll(locked).toBe(2);
  return replies;
}

const twoWaysOut = [200, 200, 200, 200, 200, 429, 429, 429];

test('who asks for more than its share waits for itself, and is refused past the line; others are answered', async () => {
  const replies: Promise<{ status: number }>[] = [];
  // The same account by another token is the same caller.
  const tokens = [own, await token(ada)];
  await whileIssuesWait(async () => {
    replies.push(...(await fillTheLine((index) => ({ token: tokens[index % 2] ?? own }))));
    expect(await get('/user', { token: others })).toEqual({ status: 200 });
    expect(await get('/meta', {})).toEqual({ status: 200 });
    expect(await locked()).toBe(2);
  });
  expect((await statusesOf(replies)).sort()).toEqual(twoWaysOut);
});

test('strangers from many addresses leave places to who is signed in', async () => {
  const replies: Promise<{ status: number }>[] = [];
  await whileIssuesWait(async () => {
    for (let host = 1; host <= 20; host++) replies.push(get(issues, { address: `198.51.100.${host}` }));
    await expect.poll(locked).toBe(2);
    expect(await get('/user', { token: others })).toEqual({ status: 200 });
    expect(await get('/user/orgs', { token: own })).toEqual({ status: 200 });
    expect(await locked()).toBe(2);
  });
  expect(await statusesOf(replies)).toEqual(Array(20).fill(200));
});

test('whoever has 2^64 addresses is one caller', async () => {
  const replies: Promise<{ status: number }>[] = [];
  await whileIssuesWait(async () => {
    const addresses = ['2001:db8:0:1::1', '2001:db8::1:0:0:0:ffff', '2001:0DB8:0:01:ffff:ffff:ffff:ffff'];
    replies.push(...(await fillTheLine((index) => ({ address: addresses[index % 3] ?? '' }))));
  });
  expect((await statusesOf(replies)).sort()).toEqual(twoWaysOut);
});

test('who goes away leaves the line', async () => {
  const gone = new AbortController();
  const waits: Promise<{ status: number }>[] = [];
  await whileIssuesWait(async () => {
    const replies = await fillTheLine(() => ({ token: own, signal: gone.signal }));
    gone.abort();
    expect((await statusesOf(replies)).sort()).toEqual([0, 0, 0, 0, 0, 429, 429, 429]);
    waits.push(get('/user', { token: own }));
    expect(await get('/user', { token: others })).toEqual({ status: 200 });
  });
  expect(await statusesOf(waits)).toEqual([200]);
});

test('a reply that nobody reads keeps the place of its caller alone', async () => {
  const titles = Array.from({ length: 100 }, (_, index) => ({ title: `${index}`, body: 'x'.repeat(60_000) }));
  const client = await here.as(ada);
  for (const issue of titles) expect((await client.post(issues, issue)).status).toBe(201);
  const unread = [1, 2].map(() =>
    request(`${here.url}/api/v3${issues}?per_page=100`, { headers: { authorization: `Bearer ${own}` } }).on(
      'error',
      () => undefined,
    ),
  );
  onTestFinished(() => {
    for (const one of unread) one.destroy();
  });
  for (const one of unread) one.end();
  const answered = unread.map((one) => new Promise((resolve) => one.once('response', resolve)));
  await Promise.all(answered);
  const waits = get('/user', { token: own }).then(() => 'answered');
  expect(await Promise.race([waits, get('/user', { token: others }).then(() => 'waits')])).toBe('waits');
  for (const one of unread) one.destroy();
  expect(await waits).toBe('answered');
});

test('replies that a stranger does not read end where another stranger waits', async () => {
  const headers = { 'x-forwarded-for': '192.0.2.7' };
  const unread = [1, 2].map(() => request(`${here.url}/api/v3${issues}?per_page=100`, { headers }).on('error', () => undefined));
  onTestFinished(() => {
    for (const one of unread) one.destroy();
  });
  const answered = unread.map((one) => new Promise((resolve) => one.once('response', resolve)));
  for (const one of unread) one.end();
  await Promise.all(answered);
  expect(await get('/meta', { address: '192.0.2.8' })).toEqual({ status: 200 });
  await here.hearth.app.limitRefusals.flush();
  const refused = await db.selectFrom('limit_refusals').select(['limit_name', 'caller']).execute();
  expect(refused).toContainEqual({ limit_name: 'requests.contendedRate', caller: 'address:192.0.2.7' });
});
