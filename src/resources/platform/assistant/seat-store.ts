// The statements of seats. Assignments decide who has one: people directly, and members of teams and their child teams.
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';

type Organization = Id<'accounts'>;
type User = Id<'accounts'>;

export type Seat = {
  readonly user_id: User;
  /** The team that assigns it; null if it is assigned directly. */
  readonly team_id: Id<'teams'> | null;
  /** The day on which it ends, for example `2026-02-01`. */
  readonly ends_on: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
};

/**
 * One seat for each person. Of several assignments, the one without an end or with the latest end counts. Of equal ones, the
 * direct assignment counts.
 */
const seatsOf = (organization: Organization, today: string): RawBuilder<unknown> => sql`
  select distinct on (s.user_id) s.user_id, s.team_id, s.ends_on, s.created_at, s.updated_at from (
    select a.user_id, null::bigint as team_id, a.ends_on, a.created_at, a.updated_at from assistant_assignments a
    where a.organization_id = ${organization} and a.user_id is not null and (a.ends_on is null or a.ends_on > ${today}::date)
    union all
    select tm.user_id, a.team_id, a.ends_on, greatest(a.created_at, tm.created_at), greatest(a.updated_at, tm.created_at)
    from assistant_assignments a
      join teams t on t.ancestors @> array[a.team_id] and a.team_id = any (t.ancestors)
      join team_members tm on tm.team_id = t.id
    where a.organization_id = ${organization} and a.team_id is not null and (a.ends_on is null or a.ends_on > ${today}::date)) s
  join memberships m on m.organization_id = ${organization} and m.user_id = s.user_id
  order by s.user_id, s.ends_on desc nulls first, s.team_id nulls first, s.created_at`;

/** A page of seats, with their total number. */
export async function listSeats(
  db: Db,
  { organization, today }: { organization: Organization; today: string },
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
): Promise<Listed<Seat>> {
  const { rows } = await sql<Seat & { total: number }>`
    with seats as materialized (${seatsOf(organization, today)}),
    page as (select * from seats order by user_id limit ${limit} offset ${offset})
    select p.*, c.total from (select count(*) as total from seats) c left join page p on true order by p.user_id`.execute(db);
  return {
    rows: rows.flatMap(({ total: _, ...seat }) => (seat.user_id === null ? [] : [seat])),
    total: rows[0]?.total ?? 0,
  };
}

/** The seat of a user. */
export async function findSeat(
  db: Db,
  { organization, today }: { organization: Organization; today: string },
  user: User,
): Promise<Seat | undefined> {
  const { rows } = await sql<Seat>`select * from (${seatsOf(organization, today)}) s where s.user_id = ${user}`.execute(db);
  return rows[0];
}

type SeatCounts = { readonly total: number; readonly added: number; readonly ending: number; readonly active: number };

/** The number of seats: all, those added since a given time, those that end, and those of the given people. */
export async function countSeats(
  db: Db,
  { organization, today }: { organization: Organization; today: string },
  { since, active }: { since: Date; active: readonly string[] },
): Promise<SeatCounts> {
  const { rows } = await sql<SeatCounts>`
    select count(*) as total, count(*) filter (where s.created_at >= ${since}) as added, count(s.ends_on) as ending,
      count(*) filter (where lower(a.login) = any (${active.map((login) => login.toLowerCase())}::text[])) as active
    from (${seatsOf(organization, today)}) s join accounts a on a.id = s.user_id`.execute(db);
  return rows[0] ?? { total: 0, added: 0, ending: 0, active: 0 };
}

/** Active members of an organization by their logins in lower case, with whether they have a direct assignment. */
export async function loadMembersNamed(
  db: Db,
  organization: Organization,
  logins: readonly string[],
): Promise<Map<string, { id: User; isAssigned: boolean }>> {
  const { rows } = await sql<{ id: User; login: string; isAssigned: boolean }>`
    select a.id, lower(a.login) as login, exists (select from assistant_assignments s
      where s.organization_id = m.organization_id and s.user_id = a.id) as "isAssigned"
    from accounts a join memberships m on m.user_id = a.id and m.organization_id = ${organization}
    where lower(a.login) = any (${logins.map((login) => login.toLowerCase())}::text[])`.execute(db);
  return new Map(rows.map(({ id, login, isAssigned }) => [login, { id, isAssigned }]));
}

/** Teams of an organization by their slugs in lower case, with whether they have an assignment. */
export async function loadTeamsNamed(
  db: Db,
  organization: Organization,
  slugs: readonly string[],
): Promise<Map<string, { id: Id<'teams'>; isAssigned: boolean }>> {
  const { rows } = await sql<{ id: Id<'teams'>; slug: string; isAssigned: boolean }>`
    select t.id, lower(t.slug) as slug, exists (select from assistant_assignments s
      where s.organization_id = t.organization_id and s.team_id = t.id) as "isAssigned"
    from teams t where t.organization_id = ${organization}
      and lower(t.slug) = any (${slugs.map((slug) => slug.toLowerCase())}::text[])`.execute(db);
  return new Map(rows.map(({ id, slug, isAssigned }) => [slug, { id, isAssigned }]));
}

export type Assignees = { readonly users: readonly User[]; readonly teams: readonly Id<'teams'>[] };

/** Assigns seats, and keeps existing ones from ending. */
export async function putAssignments(tx: Tx, organization: Organization, { users, teams }: Assignees, now: Date): Promise<void> {
  const kept = sql`update set ends_on = null, updated_at = excluded.updated_at where a.ends_on is not null`;
  const rowsOf = (column: 'user_id' | 'team_id', ids: readonly number[]) => sql`
    insert into assistant_assignments as a (organization_id, ${sql.ref(column)}, created_at, updated_at)
    select ${organization}, i, ${now}, ${now} from unnest(${ids}::bigint[]) as i
    on conflict (organization_id, ${sql.ref(column)}) where ${sql.ref(column)} is not null do ${kept}`;
  if (users.length > 0) await rowsOf('user_id', users).execute(tx);
  if (teams.length > 0) await rowsOf('team_id', teams).execute(tx);
}

/** Sets the last day of assignments that have no end yet. */
export async function endAssignments(
  tx: Tx,
  organization: Organization,
  { users, teams }: Assignees,
  { on, now }: { on: string; now: Date },
): Promise<void> {
  await sql`
    update assistant_assignments set ends_on = ${on}::date, updated_at = ${now}
    where organization_id = ${organization} and ends_on is null
      and (user_id = any (${users}::bigint[]) or team_id = any (${teams}::bigint[]))`.execute(tx);
}

/** Removes the assignments that have ended. */
export const removeEnded = async (tx: Tx, today: string): Promise<void> => {
  await tx.deleteFrom('assistant_assignments').where('ends_on', '<=', today).execute();
};
