import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { migrate } from '#database/migrate.ts';
import { databaseBefore } from './older.ts';

test('merges that were planned before an upgrade follow the moves of their branches, and those that never began are dropped', async () => {
  const { db, address } = await databaseBefore(290);
  await sql`insert into accounts (kind, login, created_at, updated_at) values ('user', 'ada', now(), now())`.execute(db);
  await sql`insert into repositories (owner_id, name, default_branch, visibility, created_at, updated_at)
    values (1, 'engine', 'main', 'public', now(), now())`.execute(db);
  await sql`insert into issues (repository_id, number, title, is_pull_request, author_id, created_at, updated_at)
    select 1, n, 'Merge', true, 1, now(), now() from generate_series(1, 3) n`.execute(db);
  const [moving, moved, unbegun] = ['a', 'b', 'c'].map((digit) => digit.repeat(40));
  await sql`insert into planned_merges (issue_id, repository_id, merge_commit_sha, head_sha, actor_id, planned_at) values
    (1, 1, ${moving}, 'd', 1, '2026-01-01T00:00:00Z'), (2, 1, ${moved}, 'd', 1, '2026-01-02T00:00:00Z'),
    (3, 1, ${unbegun}, 'd', 1, '2026-01-03T00:00:00Z')`.execute(db);
  const commands = (to?: string) => JSON.stringify([{ ref: 'refs/heads/main', from: 'd', to }]);
  await sql`insert into ref_changes (repository_id, actor_id, commands, started_at) values
    (1, 1, ${commands(moving)}, '2026-01-01T00:00:01Z'), (1, 1, ${commands('e')}, '2026-01-01T00:00:01Z')`.execute(db);
  const push = (after?: string) => JSON.stringify({ moves: [{ ref: 'refs/heads/main', before: 'd', after, forced: false }] });
  await sql`insert into events (kind, owner_id, repository_id, actor_id, data, created_at) values
    ('push', 1, 1, 1, ${push(moved)}, '2026-01-02T00:00:01Z'),
    ('push', 1, 1, 1, ${push(unbegun)}, '2026-01-01T00:00:00Z')`.execute(db);
  await migrate(address);
  const { rows } = await sql`select actor_id, commands, following from ref_changes order by id`.execute(db);
  const following = (issue: number, commit?: string) => [{ kind: 'pulls.merge', data: { issue, commit, app: null } }];
  expect(rows).toEqual([
    { actor_id: 1, commands: JSON.parse(commands(moving)), following: following(1, moving) },
    { actor_id: 1, commands: JSON.parse(commands('e')), following: null },
    { actor_id: 1, commands: [], following: following(2, moved) },
  ]);
});
