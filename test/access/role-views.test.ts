import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { change } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import { world } from '#test/support/world.ts';

const { user, org, repo, db, as } = await world();

/** Random accounts, organizations and repositories with roles from every source, with the same seed in each run. */
async function peopleWithRoles(): Promise<void> {
  const people = await Promise.all(Array.from({ length: 8 }, () => user()));
  const [owner] = people as [(typeof people)[0]];
  const organizations = await Promise.all(Array.from({ length: 4 }, () => org(owner)));
  for (const one of [...organizations, ...people.slice(0, 3)])
    for (let n = 0; n < 3; n++) await repo(one, { visibility: 'private', by: owner });
  await change(db, async (tx) => {
    await sql`select setseed(0.7)`.execute(tx);
    await sql`update organizations
      set default_repository_permission = (array['none', 'read', 'write', 'admin'])[1 + account_id % 4]`.execute(tx);
    await sql`
      insert into memberships (organization_id, user_id, role, created_at)
      select g.account_id, a.id, case when random() < 0.2 then 'owner' else 'member' end, now()
      from organizations g, accounts a where a.kind = 'user' and random() < 0.6 on conflict do nothing`.execute(tx);
    await sql`
      insert into collaborators (repository_id, user_id, role, created_at)
      select r.id, a.id, (array['read', 'triage', 'write', 'maintain', 'admin'])[1 + floor(random() * 5)], now()
      from repositories r, accounts a where a.kind = 'user' and random() < 0.15`.execute(tx);
    for (const { id } of organizations) {
      let parent: Id<'teams'>[] = [];
      for (let n = 0; n < 3; n++) {
        const { rows } = await sql<{ ancestors: Id<'teams'>[] }>`
          with next as (select nextval(pg_get_serial_sequence('teams', 'id')) as id)
          insert into teams (id, organization_id, parent_id, ancestors, slug, name, created_at, updated_at)
          overriding system value
          select id, ${id}::bigint, ${parent.at(-1) ?? null}::bigint, ${parent}::bigint[] || id, 'team-' || ${n}::text,
            'Team', now(), now()
          from next returning ancestors`.execute(tx);
        parent = rows[0]?.ancestors ?? [];
      }
    }
    await sql`
      insert into team_members (team_id, user_id, role, created_at)
      select t.id, m.user_id, 'member', now() from teams t join memberships m on m.organization_id = t.organization_id
      where random() < 0.3`.execute(tx);
    await sql`
      insert into team_repositories (team_id, repository_id, role, created_at)
      select t.id, r.id, (array['read', 'write', 'admin'])[1 + floor(random() * 3)], now()
      from teams t join repositories r on r.owner_id = t.organization_id where random() < 0.3`.execute(tx);
    await sql`
      insert into organization_role_assignments (organization_id, role_id, user_id, team_id, created_at)
      select m.organization_id, (select min(id) + m.user_id % 3 from organization_roles), m.user_id, null, now()
      from memberships m where random() < 0.2
      union all select t.organization_id, (select min(id) from organization_roles), null, t.id, now() from teams t
      where random() < 0.3`.execute(tx);
  });
}

await peopleWithRoles();

test('roles by owner and by repository are the roles of the view of all', async () => {
  const split = sql`
    select r.id as repository_id, o.account_id, o.level from owner_roles o join repositories r on r.owner_id = o.owner_id
    union all select repository_id, account_id, level from direct_roles`;
  const { rows } = await sql<{ missing: number; more: number; total: number; sources: number }>`
    with whole as (select repository_id, account_id, level from repository_roles), split as (${split})
    select (select count(*) from (select * from whole except all select * from split) m) as missing,
      (select count(*) from (select * from split except all select * from whole) m) as more,
      (select count(*) from whole) as total, (select count(distinct source) from repository_roles) as sources`.execute(db);
  expect(rows[0]).toMatchObject({ missing: 0, more: 0, sources: 5 });
  expect(rows[0]?.total).toBeGreaterThan(100);
});

test('one’s own repositories are those in which one has a role, and those that are internal', async () => {
  await sql`update repositories set visibility = 'internal' where id % 5 = 0`.execute(db);
  const people = await db.selectFrom('accounts').selectAll().where('kind', '=', 'user').execute();
  for (const one of people) {
    const { rows } = await sql<{ id: number }>`
      select id from repositories
      where id in (select repository_id from repository_roles where account_id = ${one.id} and level > 0)
        or visibility = 'internal' and owner_id in (select organization_id from memberships where user_id = ${one.id})
      order by id`.execute(db);
    const { body } = await (await as(one)).get('/user/repos?per_page=100');
    expect(body.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b)).toEqual(rows.map(({ id }) => id));
  }
});
