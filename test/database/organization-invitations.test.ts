import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { migrate } from '#database/migrate.ts';
import { databaseBefore } from './older.ts';

test('pending memberships become invitations with their numbers and teams, and later ones get other numbers', async () => {
  const { db, address } = await databaseBefore(120);
  await sql`insert into accounts (kind, login, created_at, updated_at) values
    ('user', 'ada', now(), now()), ('user', 'bob', now(), now()), ('user', 'eve', now(), now()),
    ('organization', 'acme', now(), now())`.execute(db);
  await sql`insert into memberships (organization_id, user_id, role, state, invited_by, created_at) values
    (4, 1, 'owner', 'active', null, now()), (4, 2, 'member', 'pending', 1, now()), (4, 3, 'member', 'active', 1, now())`.execute(
    db,
  );
  await sql`insert into teams (organization_id, ancestors, slug, name, created_at, updated_at)
    values (4, '{1}', 'crew', 'Crew', now(), now())`.execute(db);
  await sql`insert into team_invitations (team_id, organization_id, user_id, role, created_at)
    values (1, 4, 2, 'maintainer', now())`.execute(db);
  await migrate(address);
  const { rows } = await sql`select i.id, invitee_id, inviter_id, i.role, t.team_id, t.role as team_role
    from organization_invitations i left join team_invitations t on t.invitation_id = i.id`.execute(db);
  expect(rows).toEqual([{ id: 2, invitee_id: 2, inviter_id: 1, role: 'member', team_id: 1, team_role: 'maintainer' }]);
  expect((await sql`select user_id from memberships order by user_id`.execute(db)).rows).toEqual([
    { user_id: 1 },
    { user_id: 3 },
  ]);
  const next = sql`insert into organization_invitations (organization_id, email, role, created_at)
    values (4, 'a@example.com', 'member', now()) returning id`;
  expect((await next.execute(db)).rows).toEqual([{ id: 4 }]);
});
