import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { migrate } from '#database/migrate.ts';
import { changeWithoutRequest } from '#endpoint/change-in.ts';
import type { Change } from '#endpoint/scope.ts';
import { openGitStore } from '#git/store.ts';
import { verifyEarlierEmails } from '#resources/identity/accounts/index.ts';
import { databaseBefore } from './older.ts';

test('addresses that users stated before are in their lists, unverified and not shown', async () => {
  const { db, address } = await databaseBefore(105);
  await sql`insert into accounts (kind, login, email, created_at, updated_at) values
    ('user', 'ada', 'ada@example.org', now(), now()), ('user', 'eve', 'Ada@Example.org', now(), now()),
    ('user', 'bob', null, now(), now()), ('organization', 'acme', 'office@example.org', now(), now())`.execute(db);
  await migrate(address);
  const { rows } = await sql`select login, accounts.email as shown, e.email, verified_at from accounts
    left join email_addresses e on e.account_id = accounts.id order by accounts.id`.execute(db);
  expect(rows).toEqual([
    { login: 'ada', shown: null, email: 'ada@example.org', verified_at: null },
    { login: 'eve', shown: null, email: 'Ada@Example.org', verified_at: null },
    { login: 'bob', shown: null, email: null, verified_at: null },
    { login: 'acme', shown: 'office@example.org', email: null, verified_at: null },
  ]);
});

test('addresses from before can be verified all at once, but for those that several users state', async () => {
  const { db, address } = await databaseBefore(105);
  await sql`insert into accounts (kind, login, email, created_at, updated_at) values
    ('user', 'ada', 'ada@example.org', now(), now()), ('user', 'eve', 'Ada@Example.org', now(), now()),
    ('user', 'bob', 'bob@example.org', now(), now()), ('user', 'cleo', 'cleo@example.net', now(), now())`.execute(db);
  await migrate(address);
  await sql`insert into email_addresses (account_id, email, created_at)
    select id, 'later@example.org', now() from accounts where login = 'cleo'`.execute(db);
  const now = new Date();
  await using git = await openGitStore({ root: await mkdtemp(join(tmpdir(), 'hearth-emails-')), env: process.env });
  const verify: Change = (work) => changeWithoutRequest({ db, services: { url: undefined, ssh: undefined, git }, now }, work);
  const verified = async () =>
    (
      await sql<{ email: string }>`select email from email_addresses where verified_at is not null order by email`.execute(db)
    ).rows.map(({ email }) => email);
  expect(await verifyEarlierEmails(db, { now })).toEqual({ verified: 2, ambiguous: 2 });
  expect(await verified()).toEqual([]);
  expect(await verifyEarlierEmails(db, { now, verify, domain: 'Example.net' })).toEqual({ verified: 1, ambiguous: 0 });
  expect(await verified()).toEqual(['cleo@example.net']);
  expect(await verifyEarlierEmails(db, { now, verify })).toEqual({ verified: 1, ambiguous: 2 });
  expect(await verified()).toEqual(['bob@example.org', 'cleo@example.net']);
  const events = await sql`select from events where kind = 'email.verified'`.execute(db);
  expect(events.rows.length).toBe(2);
});
