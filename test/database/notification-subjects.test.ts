import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '#database/migrate.ts';
import { testDatabase } from '#test/support/database.ts';
import { databaseBefore } from './older.ts';

test('threads and their subscriptions of before keep their ids, their states and what they are about', async () => {
  const { db, address } = await databaseBefore(99);
  await sql`insert into accounts (id, kind, login, created_at, updated_at) overriding system value
    values (1, 'user', 'ada', now(), now()), (2, 'user', 'bob', now(), now())`.execute(db);
  await sql`insert into repositories (id, owner_id, name, created_at, updated_at) overriding system value
    values (5, 1, 'engine', now(), now()), (6, 1, 'pump', now(), now())`.execute(db);
  await sql`insert into issues (id, repository_id, number, title, created_at, updated_at) overriding system value
    values (7, 5, 1, 'One', now(), now()), (8, 6, 1, 'Two', now(), now()), (9, 6, 2, 'Three', now(), now())`.execute(db);
  const about = sql`(values (1, 5, 7), (2, 5, 7), (2, 5, null), (2, 6, null), (2, 6, 8)) as a (account, repository, issue)`;
  await sql`insert into notification_threads
    (account_id, repository_id, issue_id, reason, comment_id, event_id, unread, updated_at)
    select account, repository, issue, 'mention', issue, account, issue is null, now() from ${about}`.execute(db);
  await sql`insert into thread_subscriptions (account_id, repository_id, issue_id, state, created_at)
    select account, repository, issue, 'muted', now() from ${about} union all values (1, 6, 9, 'ignored', now())`.execute(db);
  const { rows: threads } = await sql<object>`select * from notification_threads order by id`.execute(db);
  const { rows: subscriptions } = await sql<object>`select * from thread_subscriptions order by id`.execute(db);

  await migrate(address);
  const named = sql`(select id as subject_id, issue_id, kind from notification_subjects) s using (subject_id)`;
  const kindOf = (row: object) => ({ ...row, kind: 'issue_id' in row && row.issue_id === null ? 'invitation' : 'issue' });
  const after = async (table: 'notification_threads' | 'thread_subscriptions') =>
    (await sql<object>`select * from ${sql.table(table)} join ${named} order by id`.execute(db)).rows;
  expect(await after('notification_threads')).toMatchObject(threads.map(kindOf));
  expect(await after('thread_subscriptions')).toMatchObject(subscriptions.map(kindOf));
  const { rows: subjects } = await sql`select repository_id, issue_id from notification_subjects order by 1, 2`.execute(db);
  expect(subjects).toEqual([
    { repository_id: 5, issue_id: 7 },
    { repository_id: 5, issue_id: null },
    { repository_id: 6, issue_id: 8 },
    { repository_id: 6, issue_id: 9 },
    { repository_id: 6, issue_id: null },
  ]);
});

test('no subject is kept twice, without its name, or with that of another kind', async () => {
  const { db, close } = await testDatabase();
  onTestFinished(close);
  await sql`insert into accounts (id, kind, login, created_at, updated_at) overriding system value
    values (1, 'user', 'ada', now(), now())`.execute(db);
  await sql`insert into repositories (id, owner_id, name, created_at, updated_at) overriding system value
    values (5, 1, 'engine', now(), now())`.execute(db);
  const insert = (kind: string, sha: string | null, title: string | null) =>
    sql`insert into notification_subjects (repository_id, kind, commit_sha, title) values (5, ${kind}, ${sha}, ${title})`.execute(
      db,
    );
  await insert('invitation', null, null);
  await insert('commit', 'a', 'One');
  await expect(insert('invitation', null, null)).rejects.toThrow('notification_subjects_once');
  await expect(insert('commit', 'a', 'Two')).rejects.toThrow('notification_subjects_once');
  await expect(insert('issue', null, null)).rejects.toThrow('check constraint');
  await expect(insert('commit', null, null)).rejects.toThrow('check constraint');
  await expect(insert('commit', 'b', null)).rejects.toThrow('check constraint');
  await expect(insert('invitation', 'b', 'Two')).rejects.toThrow('check constraint');
  await expect(insert('gist', null, null)).rejects.toThrow('check constraint');
});
