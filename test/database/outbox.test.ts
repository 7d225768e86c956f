import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '#database/migrate.ts';
import { testDatabase } from '#test/support/database.ts';

const migrations = join(import.meta.dirname, '../../src/database/migrations');

test('events that waited as jobs wait on: in the outbox, or as jobs of their subscriptions', async () => {
  const { db, address, close } = await testDatabase();
  onTestFinished(close);
  const folder = await mkdtemp(join(tmpdir(), 'hearth-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(migrations, folder, { recursive: true, filter: (name) => !(Number.parseInt(basename(name), 10) >= 102) });
  await sql`drop schema public cascade`.execute(db);
  await sql`create schema public`.execute(db);
  await migrate(address, { folder });
  await sql`select jobs.add_job('events.dispatch', json_build_object('event', n)) from generate_series(3, 5) n`.execute(db);
  await sql`select jobs.add_job('events.deliver', json_build_object('event', 2, 'to', "to"), job_key => "to" || ':2',
    max_attempts => 7)
    from unnest(array['webhooks.tell', 'issues.index']) as t("to")`.execute(db);
  await sql`select jobs.add_job('search.catch-up')`.execute(db);

  await migrate(address);
  const { rows: waiting } = await sql`select event_id from undispatched_events order by event_id`.execute(db);
  expect(waiting).toEqual([{ event_id: 3 }, { event_id: 4 }, { event_id: 5 }]);
  const { rows: jobs } = await sql`
    select task_identifier as task, j.key, p.max_attempts, payload ->> 'event' as event from jobs.jobs j
    join jobs._private_jobs p using (id) order by task_identifier`.execute(db);
  expect(jobs).toEqual([
    { task: 'issues.index', key: 'issues.index:2', max_attempts: 7, event: '2' },
    { task: 'search.catch-up', key: null, max_attempts: 25, event: null },
    { task: 'webhooks.tell', key: 'webhooks.tell:2', max_attempts: 7, event: '2' },
  ]);
});
