import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { migrate } from '#database/migrate.ts';
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
