import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { migrate } from '#database/migrate.ts';
import { databaseBefore } from './older.ts';

test('deliveries of before keep their ids, their owners and their payloads', async () => {
  const { db, address } = await databaseBefore(86);
  await sql`insert into accounts (id, kind, login, created_at, updated_at) overriding system value
    values (1, 'organization', 'acme', now(), now()), (2, 'user', 'ada', now(), now())`.execute(db);
  await sql`insert into repositories (id, owner_id, name, default_branch, visibility, created_at, updated_at)
    overriding system value
    values (5, 2, 'engine', 'main', 'public', now(), now())`.execute(db);
  await sql`insert into webhooks (id, organization_id, repository_id, events, url, base_url, created_at, updated_at)
    overriding system value
    values (7, 1, null, '{push}', 'http://a', 'http://b', now(), now()),
      (8, null, 5, '{push}', 'http://a', 'http://b', now(), now())`.execute(db);
  const text = JSON.stringify({ text: 'x'.repeat(9_000) });
  await sql`insert into webhook_deliveries (hook_id, guid, event, installation_id, payload, due_at, created_at, response_body)
    select 7 + n % 2, gen_random_uuid(), 'push', n, ${text} || n, case when n > 3 then now() end, now(), 'reply ' || n
    from generate_series(1, 4) n`.execute(db);
  const { rows: before } = await sql<{ id: number }>`select * from webhook_deliveries order by id`.execute(db);

  await migrate(address);
  const { rows: after } = await sql<Record<string, unknown>>`
    select d.*, p.body as payload, p.names_installation from webhook_deliveries d join webhook_payloads p on p.id = d.payload_id
    order by d.id`.execute(db);
  expect(after).toMatchObject(before);
  expect(after.map(({ owner_id, names_installation }) => [owner_id, names_installation])).toEqual([
    [2, true],
    [1, true],
    [2, true],
    [1, true],
  ]);
  const next = await sql<{ id: number }>`
    insert into webhook_deliveries (owner_id, hook_id, payload_id, guid, event, created_at)
    select owner_id, hook_id, payload_id, gen_random_uuid(), event, created_at from webhook_deliveries limit 1
    returning id`.execute(db);
  expect(next.rows[0]?.id).toBeGreaterThan(before.at(-1)?.id ?? 0);
});
