import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Account } from '#access/viewer.ts';
import { enqueue } from '#jobs/job.ts';
import { addMinutes } from '#lib/time.ts';
import { revokeToken } from '#resources/identity/tokens/index.ts';
import { removeExpired } from '#resources/platform/oauth/jobs.ts';
import { agree, exchangeCode } from '#resources/platform/oauth/rules.ts';
import { type AppRow, createApp, offerManifest } from '#resources/repositories/apps/index.ts';
import { fresh, world } from '#test/support/world.ts';

const here = await world();
const { db, change, clock, url } = here;

const makeApp = (owner: Account, kind: 'app' | 'oauth' = 'app') =>
  change((scope) =>
    createApp(scope, {
      owner,
      kind,
      name: fresh('app'),
      externalUrl: 'https://client.example',
      callbackUrls: ['https://client.example/callback'],
      now: clock.now,
    }),
  );

/** The token, with its refresh token, that a user gave to an app. */
async function granted(app: AppRow, user: Account) {
  const code = await change((scope) =>
    agree(scope, { app, user, scopes: [], redirectUri: undefined, challenge: undefined, now: clock.now }),
  );
  const outcome = await change((scope) =>
    exchangeCode(scope, { app, code, verifier: undefined, redirectUri: undefined, now: clock.now }),
  );
  if (!('granted' in outcome)) throw new Error(outcome.problem);
  return { token: outcome.granted.token, refresh: outcome.granted.refresh?.token ?? '' };
}

async function send(path: string, fields: Record<string, string>) {
  const headers = { accept: 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body: new URLSearchParams(fields) });
  return response.json() as Promise<Record<string, string>>;
}
const exchange = (fields: Record<string, string>) => send('/login/oauth/access_token', fields);
const begin = (client_id: string) => send('/login/device/code', { client_id });

type Setting = Awaited<ReturnType<typeof setting>>;

async function setting() {
  const ada = await here.user();
  const { app, clientSecret } = await makeApp(ada);
  const secret = { client_id: app.client_id, client_secret: clientSecret };
  const refresh = (refresh_token: string) => exchange({ ...secret, grant_type: 'refresh_token', refresh_token });
  return { ada, app, clientSecret, secret, refresh, given: await granted(app, ada) };
}

const clean = async (): Promise<void> => {
  await change((scope) => enqueue(scope.tx, removeExpired, {}));
  await here.settle();
};

describe('a refresh token ends', () => {
  const ends = async (end: (made: Setting) => Promise<unknown>) => {
    const all = await setting();
    await end(all);
    expect((await all.refresh(all.given.refresh)).access_token).toBeUndefined();
    expect((await (await here.as(all.given.token)).get('/user')).status).not.toBe(200);
    expect(await db.selectFrom('refresh_tokens').selectAll().where('app_id', '=', all.app.id).execute()).toEqual([]);
  };

  test('when the app deletes its token', () =>
    ends(async ({ app, clientSecret, given }) => {
      const reply = await fetch(`${url}/api/v3/applications/${app.client_id}/token`, {
        method: 'DELETE',
        headers: { authorization: `Basic ${btoa(`${app.client_id}:${clientSecret}`)}` },
        body: JSON.stringify({ access_token: given.token }),
      });
      expect(reply.status).toBe(204);
    }));

  test('when an administrator ends the token', () =>
    ends(async ({ given }) => expect(await change((scope) => revokeToken(scope, given.token, clock.now))).toBe(true)));

  test('and its token with it, when an administrator has the refresh token alone', () =>
    ends(async ({ given }) => expect(await change((scope) => revokeToken(scope, given.refresh, clock.now))).toBe(true)));

  test('with its app', () => ends(({ app }) => db.deleteFrom('apps').where('id', '=', app.id).execute()));

  test('with its account', () => ends(({ ada }) => db.deleteFrom('accounts').where('id', '=', ada.id).execute()));
});

test('a suspended account gets no token: not for a refresh token, a code, or a device', async () => {
  const { ada, app, secret, refresh, given } = await setting();
  const { app: oauth } = await change((scope) =>
    createApp(scope, {
      owner: ada,
      kind: 'oauth',
      name: fresh('app'),
      externalUrl: 'https://x.example',
      deviceFlow: true,
      now: clock.now,
    }),
  );
  const code = await change((scope) =>
    agree(scope, { app, user: ada, scopes: [], redirectUri: undefined, challenge: undefined, now: clock.now }),
  );
  const device = await begin(oauth.client_id);
  await db.updateTable('device_codes').set({ state: 'approved', account_id: ada.id }).where('app_id', '=', oauth.id).execute();
  const admin = await here.as(await here.user(undefined, { site_admin: true }));
  expect((await admin.put(`/users/${ada.login}/suspended`)).status).toBe(204);
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  expect((await refresh(given.refresh)).error).toBe('bad_refresh_token');
  expect((await exchange({ ...secret, code })).error).toBe('bad_verification_code');
  expect((await exchange({ client_id: oauth.client_id, grant_type, device_code: device.device_code ?? '' })).error).toBe(
    'access_denied',
  );
  expect((await admin.delete(`/users/${ada.login}/suspended`)).status).toBe(204);
  expect((await refresh(given.refresh)).error).toBe('bad_refresh_token');
});

test('of the tokens that one user gave an app for the same scopes, ten live', async () => {
  const ada = await here.user();
  const { app } = await makeApp(ada, 'oauth');
  const first = await granted(app, ada);
  const second = await granted(app, ada);
  for (let more = 0; more < 9; more++) await granted(app, ada);
  expect((await (await here.as(first.token)).get('/user')).status).toBe(401);
  expect((await (await here.as(second.token)).get('/user')).status).toBe(200);
});

describe('what has expired is removed', () => {
  const countOf = async (table: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*) from ${sql.table(table)}`.execute(db);
    return rows[0]?.count ?? 0;
  };

  test('of every table, and nothing else', async () => {
    await clean();
    const before = clock.now;
    const { ada, app } = await setting();
    const tables = [
      'sessions',
      'authorization_codes',
      'device_codes',
      'app_manifest_codes',
      'app_manifest_requests',
      'refresh_tokens',
      'tokens',
      'limit_refusals',
    ];
    const counts = async () => Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await countOf(table)])));
    const lasting = await counts();
    const manifest = { name: 'A', url: 'https://x.example' };
    await change((scope) => offerManifest(scope, { manifest, owner: ada, by: ada, now: clock.now }));
    await sql`insert into app_manifest_requests select sha256('m'), null, '{}', null, ${addMinutes(clock.now, 60)}`.execute(db);
    await sql`insert into sessions (hash, account_id, created_at, expires_at, signed_in_at)
      select sha256('s'), ${ada.id}, ${clock.now}, ${addMinutes(clock.now, 60)}, ${clock.now}`.execute(db);
    await sql`insert into authorization_codes (hash, app_id, account_id, expires_at)
      select sha256('c'), ${app.id}, ${ada.id}, ${addMinutes(clock.now, 60)}`.execute(db);
    await sql`insert into device_codes (hash, user_code, app_id, expires_at)
      select sha256('d'), 'AAAA-BBBB', ${app.id}, ${addMinutes(clock.now, 60)}`.execute(db);
    await sql`insert into tokens (kind, hash, last_eight, account_id, created_at, expires_at)
      select 'classic_pat', sha256('t'), '', ${ada.id}, ${clock.now}, ${addMinutes(clock.now, 60)}`.execute(db);
    await sql`insert into limit_refusals
      values (${addMinutes(clock.now, 130 - 7 * 24 * 60)}, 'git.push', 'account:1', 1)`.execute(db);
    const full = await counts();
    clock.now = addMinutes(before, 119);
    await clean();
    expect(await counts()).toEqual(full);
    clock.now = addMinutes(before, 131);
    await clean();
    expect(await counts()).toEqual(lasting);
    clock.now = before;
  });

  test('a token that can still be refreshed stays, and both are removed when that has ended', async () => {
    const { app, refresh, given } = await setting();
    const before = clock.now;
    clock.now = addMinutes(before, 100 * 24 * 60);
    await clean();
    const next = await refresh(given.refresh);
    expect(next.access_token).toBeDefined();
    clock.now = addMinutes(clock.now, 200 * 24 * 60);
    await clean();
    for (const table of ['tokens', 'refresh_tokens'] as const)
      expect(await db.selectFrom(table).select('app_id').where('app_id', '=', app.id).execute()).toEqual([]);
    clock.now = before;
  });

  test('however many rows there are', async () => {
    await sql`insert into rate_limits select 'address:' || n, 'core', now() - interval '1 second', 1
      from generate_series(1, 12000) n`.execute(db);
    await sql`insert into rate_limits values ('address:live', 'core', now() + interval '1 hour', 1)`.execute(db);
    await clean();
    expect(await db.selectFrom('rate_limits').select('key').where('key', 'like', 'address:%').execute()).toEqual([
      { key: 'address:live' },
    ]);
  });
});
