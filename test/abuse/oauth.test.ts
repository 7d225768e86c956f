import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { defaultLimits } from '#access/rate-limits.ts';
import type { Account } from '#access/viewer.ts';
import { requestLimits } from '#lib/limits/requests.ts';
import { hashToken } from '#lib/token.ts';
import { changePassword, hashPassword } from '#resources/platform/oauth/index.ts';
import { type AppRow, createApp, offerManifest } from '#resources/repositories/apps/index.ts';
import { fresh, world } from '#test/support/world.ts';

const here = await world({
  limits: { ...defaultLimits, core: 100_000, coreAnonymous: 100_000 },
  resourceLimits: {
    oauth: {
      requests: 300,
      wrongPasswords: 6,
      wrongPasswordsOfUser: 8,
      wrongPasswordsAtAddress: 4,
      knownAddresses: 2,
      sessions: 3,
      waiting: 4,
    },
  },
  trustedProxies: ['127.0.0.1'],
});
const { db, change, clock, url, hearth } = here;
const password = 'correct horse battery staple';
let ada: Account;
let app: AppRow;

beforeAll(async () => {
  ada = await here.user('ada');
  const hash = await hashPassword(password);
  await change((scope) => changePassword(scope, ada.id, hash));
  ({ app } = await change((scope) =>
    createApp(scope, {
      owner: ada,
      kind: 'oauth',
      name: 'Tool',
      externalUrl: 'https://x.example',
      deviceFlow: true,
      now: clock.now,
    }),
  ));
});

let addresses = 0;
/** An address that nobody has used yet. */
const freshAddress = () => `198.51.${Math.floor(++addresses / 250)}.${addresses % 250}`;

const post = (path: string, fields: Record<string, string>, from: string) =>
  fetch(url + path, {
    method: 'POST',
    headers: { accept: 'application/json', 'x-forwarded-for': from, origin: url },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });
const signIn = (login: string, secret: string, from: string) => post('/login', { login, password: secret }, from);

/** Sends a number of requests, some at once, and counts the statuses of their replies. */
async function statuses(number: number, send: () => Promise<Response>): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (let sent = 0; sent < number; sent += 10) {
    const replies = await Promise.all(Array.from({ length: 10 }, send));
    for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
    await Promise.all(replies.map((reply) => reply.text()));
  }
  return counts;
}

describe('device codes', () => {
  const ask = (from: string) => post('/login/device/code', { client_id: app.client_id }, from);

  test('one address gets few, and others are served meanwhile', async () => {
    const from = freshAddress();
    expect(await statuses(200, () => ask(from))).toEqual({ 200: 50, 429: 150 });
    const refused = await ask(from);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    expect(await refused.json()).toMatchObject({ error: 'slow_down' });
    const { rows } = await sql<{ count: number }>`select count(*) from device_codes`.execute(db);
    expect(rows).toEqual([{ count: 50 }]);
    expect((await ask(freshAddress())).status).toBe(200);
  });

  test('all addresses of one IPv6 subscriber count as one', async () => {
    let host = 0;
    expect(await statuses(100, () => ask(`2001:db8:7:7::${(++host).toString(16)}`))).toEqual({ 200: 50, 429: 50 });
  });

  test('one app has a bounded number of them', async () => {
    await sql`update rate_limits set used = 5000 where key = ${`device-codes:app:${app.id}`}`.execute(db);
    expect((await ask(freshAddress())).status).toBe(429);
    await sql`delete from rate_limits`.execute(db);
  });
});

describe('requests of OAuth', () => {
  test('are counted by address', async () => {
    const from = freshAddress();
    const poll = () => post('/login/oauth/access_token', { client_id: 'x' }, from);
    expect(await statuses(320, poll)).toEqual({ 200: 300, 429: 20 });
    const page = await fetch(`${url}/login/oauth/authorize?client_id=x`, { headers: { 'x-forwarded-for': from } });
    expect([page.status, page.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
    expect((await post('/login/oauth/access_token', { client_id: 'x' }, freshAddress())).status).toBe(200);
  });

  test('take places among all requests', async () => {
    const before = hearth.services.resourceLimits.of(requestLimits).concurrentPerCaller;
    const from = freshAddress();
    let most = 0;
    const watch = setInterval(async () => {
      const text = await (await fetch(`${url}/metrics`)).text();
      most = Math.max(most, Number(/hearth_limiter_places\{limit="requests.concurrent",state="running"\} (\d+)/.exec(text)?.[1]));
    }, 1);
    await Promise.all(Array.from({ length: 60 }, () => post('/login/oauth/access_token', { client_id: 'x' }, from)));
    clearInterval(watch);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(before);
  });
});

describe('passwords', () => {
  test('wrong ones of one address are refused after a few, and right ones do not count', async () => {
    const from = freshAddress();
    for (let time = 0; time < 7; time++) expect((await signIn('ada', password, from)).status).toBe(303);
    for (let time = 0; time < 6; time++) expect((await signIn(fresh('nobody'), 'wrong', from)).status).toBe(401);
    expect((await signIn('eve', password, from)).status).toBe(429);
    expect((await signIn('ada', password, freshAddress())).status).toBe(303);
  });

  test.each(['bob', 'nobody'])('wrong ones for the name %s are refused after some, from wherever they come', async (login) => {
    if (login === 'bob') await here.user('bob');
    for (let time = 0; time < 8; time++) expect((await signIn(login, 'wrong', freshAddress())).status).toBe(401);
    expect((await signIn(login.toUpperCase(), 'wrong', freshAddress())).status).toBe(429);
  });

  test('wrong ones of others, by name or at the same address, keep nobody out where they signed in before', async () => {
    const [home, cafe] = [freshAddress(), freshAddress()];
    const carol = await here.user('carol');
    await change(async (scope) => changePassword(scope, carol.id, await hashPassword(password)));
    expect((await signIn('carol', password, home)).status).toBe(303);
    for (let time = 0; time < 8; time++) await signIn('carol', 'wrong', freshAddress());
    for (let time = 0; time < 6; time++) await signIn(fresh('nobody'), 'wrong', home);
    expect((await signIn('carol', password, cafe)).status).toBe(429);
    expect((await signIn('dora', 'wrong', home)).status).toBe(429);
    expect((await signIn('CAROL', password, home)).status).toBe(303);
    // Whoever shares the address may guess as often as at any other.
    for (let time = 0; time < 4; time++) expect((await signIn('carol', 'wrong', home)).status).toBe(401);
    expect((await signIn('carol', password, home)).status).toBe(429);
    const { rows } = await sql<{ text: string }>`select row_to_json(k)::text as text from known_addresses k`.execute(db);
    expect(rows.some(({ text }) => text.includes(home))).toBe(false);
  });

  test('few addresses of an account are known', async () => {
    const dan = await here.user('dan');
    await change(async (scope) => changePassword(scope, dan.id, await hashPassword(password)));
    const used = [freshAddress(), freshAddress(), freshAddress()];
    for (const address of used) {
      clock.now = new Date(clock.now.getTime() + 1_000);
      expect((await signIn('dan', password, address)).status).toBe(303);
    }
    for (let time = 0; time < 8; time++) await signIn('dan', 'wrong', freshAddress());
    const statuses: number[] = [];
    for (const address of used) statuses.push((await signIn('dan', password, address)).status);
    expect(statuses).toEqual([429, 303, 303]);
  });

  test('one address has one checked at a time, and few that wait', async () => {
    const from = freshAddress();
    const { passwordLimiter } = hearth.services;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, passwordLimiter.running);
    }, 1);
    // Those beyond the number of wrong ones wait for no place.
    const replies = await Promise.all(Array.from({ length: 8 }, () => signIn(fresh('nobody'), 'wrong', from)));
    clearInterval(watch);
    expect(replies.map(({ status }) => status).sort()).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    expect(most).toBe(1);
  });

  test('a long one is wrong, and a form that is longer than any is refused', async () => {
    expect((await signIn('ada', password + 'x'.repeat(40_000), freshAddress())).status).toBe(401);
    expect((await signIn('ada', password + 'x'.repeat(70_000), freshAddress())).status).toBe(413);
  });

  test('an account has few sessions: the oldest ends with the next', async () => {
    const cookies: string[] = [];
    for (let time = 0; time < 4; time++) {
      clock.now = new Date(clock.now.getTime() + 1_000);
      const reply = await signIn('ada', password, freshAddress());
      cookies.push(reply.headers.get('set-cookie')?.split(';')[0] ?? '');
    }
    const pages = cookies.map((cookie) => fetch(`${url}/login/device`, { headers: { cookie }, redirect: 'manual' }));
    expect((await Promise.all(pages)).map(({ status }) => status)).toEqual([302, 200, 200, 200]);
  });
});

describe('app manifests', () => {
  const convert = (code: string) => fetch(`${url}/api/v3/app-manifests/${code}/conversions`, { method: 'POST' });

  test('no keys are made for a code that is none, or has expired', async () => {
    const manifest = { name: fresh('app'), url: 'https://x.example' };
    const late = await change((scope) => offerManifest(scope, { manifest, owner: ada, by: ada, now: clock.now }));
    await db.updateTable('app_manifest_codes').set({ expires_at: clock.now }).where('hash', '=', hashToken(late)).execute();
    // A pair of keys takes some 100 ms of a processor.
    const before = process.cpuUsage();
    expect(await statuses(100, () => convert('hmc_none'))).toEqual({ 404: 100 });
    const { user } = process.cpuUsage(before);
    expect(user / 1_000).toBeLessThan(3_000);
    expect((await convert(late)).status).toBe(404);
  });

  test('one code makes one app, however many exchange it at once, and keys are made one after the other', async () => {
    const manifest = { name: fresh('app'), url: 'https://x.example' };
    const code = await change((scope) => offerManifest(scope, { manifest, owner: ada, by: ada, now: clock.now }));
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, hearth.services.appKeyLimiter.running);
    }, 1);
    const replies = await Promise.all(Array.from({ length: 4 }, () => convert(code)));
    clearInterval(watch);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 404, 404, 404]);
    expect(most).toBe(1);
  });
});
