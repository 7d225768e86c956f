import { type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { isCovered, type RepositoriesCovered } from '#access/sql.ts';
import type { Db, Tx } from '#database/connect.ts';
import { listWalked, orderBy, orderById } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { grouped } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Page, Walked } from '#lib/page.ts';
import type { Reach } from './access.ts';
import type { AdvisoryQuery } from './schemas.ts';

type Stored = Selectable<DB['repository_advisories']>;
type AdvisoryId = Id<'repository_advisories'>;

/** An advisory, with whether the viewer works on it, and whether as an administrator of the repository. */
export type AdvisoryRow = Stored & { is_insider: boolean; is_administered: boolean };
export type VulnerabilityRow = Selectable<DB['repository_advisory_vulnerabilities']>;
export type CreditRow = Selectable<DB['repository_advisory_credits']>;
export type NewAdvisoryRow = Omit<Stored, 'id'>;
export type NewVulnerabilityRow = Omit<VulnerabilityRow, 'id' | 'advisory_id'>;

const never = sql<boolean>`false`;
const always = sql<boolean>`true`;

/** Whether an account works on the advisory `a`: as a collaborator, through a team, or as its reporter. */
const worksOn = (account: Id<'accounts'>): RawBuilder<boolean> =>
  sql<boolean>`(a.accepted is not null and a.author_id = ${account}
    or exists (select from repository_advisory_users u where u.advisory_id = a.id and u.user_id = ${account})
    or exists (select from repository_advisory_teams at join teams t on at.team_id = any (t.ancestors)
      and t.ancestors @> array[at.team_id]
      join team_members tm on tm.team_id = t.id where at.advisory_id = a.id and tm.user_id = ${account}))`;

/** The viewer's rights on the advisory `a` of the repository `r`. */
function standing(reach: Reach): { insider: RawBuilder<boolean>; administered: RawBuilder<boolean> } {
  const account = reach.kind === 'own' ? reach.viewer.account?.id : undefined;
  if (reach.kind === 'all') return { insider: always, administered: always };
  return { insider: account === undefined ? never : worksOn(account), administered: never };
}

const selectAdvisories = (db: Db, reach: Reach) => {
  const { insider, administered } = standing(reach);
  return db
    .selectFrom('repository_advisories as a')
    .innerJoin('repositories as r', 'r.id', 'a.repository_id')
    .selectAll('a')
    .select([insider.as('is_insider'), administered.as('is_administered')])
    .where(sql<boolean>`(a.published_at is not null or ${insider})`);
};

/** An advisory of a repository by its identifier, if the viewer may see it. */
export const findAdvisory = (
  db: Db,
  repository: Id<'repositories'>,
  identifier: string,
  reach: Reach,
): Promise<AdvisoryRow | undefined> =>
  selectAdvisories(db, reach)
    .where('a.repository_id', '=', repository)
    .where(sql<boolean>`a.identifier = ${identifier}`)
    .executeTakeFirst();

/** Reads the advisory again and locks its row until the transaction ends. */
export async function findAdvisoryForUpdate(tx: Tx, { id, is_insider, is_administered }: AdvisoryRow) {
  const row = await tx.selectFrom('repository_advisories').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
  return row && { ...row, is_insider, is_administered };
}

/** An advisory in the view of the people who work on it. */
export const findWhole = (db: Db, id: AdvisoryId): Promise<AdvisoryRow | undefined> =>
  selectAdvisories(db, { kind: 'all' }).where('a.id', '=', id).executeTakeFirst();

/** The advisories of a repository, or of an account's repositories that a viewer's credential reaches. */
export function listAdvisories(
  db: Db,
  of: RepositoriesCovered,
  { reach, query: { sort, direction, state }, page }: { reach: Reach; query: AdvisoryQuery; page: Page },
): Promise<Walked<AdvisoryRow>> {
  let query = selectAdvisories(db, reach).where(isCovered(of));
  if (state !== undefined) query = query.where('a.state', '=', state);
  if (sort !== 'published') return listWalked(db, query, orderBy('a', `${sort}_at`, 'timestamptz', direction), page);
  // Unpublished advisories come before all published ones.
  const by = {
    column: sql<Date>`coalesce(a.published_at, 'epoch')`,
    type: 'timestamptz',
    of: (row: AdvisoryRow) => row.published_at ?? new Date(0),
  } as const;
  return listWalked(db, query, { ...orderById('a', direction), by }, page);
}

/** The number of a repository's advisories, and the number of an account's reports there that wait for a reply. */
export async function countAdvisories(db: Db, repository: Id<'repositories'>, author: Id<'accounts'>) {
  const { rows } = await sql<{ total: number; waiting: number }>`
    select count(*) as total, count(*) filter (where state = 'triage' and author_id = ${author}) as waiting
    from repository_advisories where repository_id = ${repository}`.execute(db);
  return rows[0] ?? { total: 0, waiting: 0 };
}

/** Inserts an advisory; undefined if its identifier is taken. */
export const insertAdvisory = (tx: Tx, row: NewAdvisoryRow): Promise<Stored | undefined> =>
  tx
    .insertInto('repository_advisories')
    .values(row)
    .onConflict((clash) => clash.column('identifier').doNothing())
    .returningAll()
    .executeTakeFirst();

export const updateAdvisory = (tx: Tx, id: AdvisoryId, change: Updateable<DB['repository_advisories']>): Promise<Stored> =>
  tx.updateTable('repository_advisories').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

export async function replaceVulnerabilities(tx: Tx, advisory: AdvisoryId, rows: readonly NewVulnerabilityRow[]): Promise<void> {
  await tx.deleteFrom('repository_advisory_vulnerabilities').where('advisory_id', '=', advisory).execute();
  if (rows.length > 0)
    await tx
      .insertInto('repository_advisory_vulnerabilities')
      .values(rows.map((row) => ({ ...row, advisory_id: advisory })))
      .execute();
}

/** Credits people. People who were already credited keep their response. */
export async function replaceCredits(
  tx: Tx,
  advisory: AdvisoryId,
  rows: readonly Omit<CreditRow, 'advisory_id'>[],
): Promise<void> {
  const users = rows.map(({ user_id }) => user_id);
  await sql`delete from repository_advisory_credits
    where advisory_id = ${advisory} and user_id <> all (${users}::bigint[])`.execute(tx);
  if (rows.length > 0)
    await tx
      .insertInto('repository_advisory_credits')
      .values(rows.map((row) => ({ ...row, advisory_id: advisory })))
      .onConflict((clash) => clash.columns(['advisory_id', 'user_id']).doUpdateSet(({ ref }) => ({ type: ref('excluded.type') })))
      .execute();
}

/** Makes exactly these users the collaborators of an advisory. Returns the removed ones. */
export async function replaceUsers(tx: Tx, advisory: AdvisoryId, users: readonly Id<'accounts'>[]): Promise<Id<'accounts'>[]> {
  const { rows } = await sql<{ user_id: Id<'accounts'> }>`delete from repository_advisory_users
    where advisory_id = ${advisory} and user_id <> all (${[...users]}::bigint[]) returning user_id`.execute(tx);
  await sql`insert into repository_advisory_users (advisory_id, user_id)
    select ${advisory}, id from unnest(${[...users]}::bigint[]) as wanted(id) on conflict do nothing`.execute(tx);
  return rows.map(({ user_id }) => user_id);
}

/** Removes a user as a collaborator from all advisories of an organization's repositories. */
export const removeUserFrom = (tx: Tx, organization: Id<'accounts'>, user: Id<'accounts'>) =>
  sql`delete from repository_advisory_users u using repository_advisories a, repositories r
    where u.user_id = ${user} and a.id = u.advisory_id and r.id = a.repository_id and r.owner_id = ${organization}`.execute(tx);

/** Makes exactly these teams the collaborators of an advisory. Returns the removed ones. */
export async function replaceTeams(tx: Tx, advisory: AdvisoryId, teams: readonly Id<'teams'>[]): Promise<Id<'teams'>[]> {
  const { rows } = await sql<{ team_id: Id<'teams'> }>`delete from repository_advisory_teams
    where advisory_id = ${advisory} and team_id <> all (${[...teams]}::bigint[]) returning team_id`.execute(tx);
  await sql`insert into repository_advisory_teams (advisory_id, team_id)
    select ${advisory}, id from unnest(${[...teams]}::bigint[]) as wanted(id) on conflict do nothing`.execute(tx);
  return rows.map(({ team_id }) => team_id);
}

/** Related rows of advisories, by advisory, in insertion order. */
export async function loadVulnerabilities(db: Db, ids: readonly AdvisoryId[]): Promise<Map<AdvisoryId, VulnerabilityRow[]>> {
  if (ids.length === 0) return new Map();
  const query = db.selectFrom('repository_advisory_vulnerabilities').selectAll().where('advisory_id', 'in', ids).orderBy('id');
  return grouped(await query.execute(), ({ advisory_id }) => advisory_id);
}

export async function loadCredits(db: Db, ids: readonly AdvisoryId[]): Promise<Map<AdvisoryId, CreditRow[]>> {
  if (ids.length === 0) return new Map();
  const query = db.selectFrom('repository_advisory_credits').selectAll().where('advisory_id', 'in', ids).orderBy('user_id');
  return grouped(await query.execute(), ({ advisory_id }) => advisory_id);
}

export async function loadUsers(db: Db, ids: readonly AdvisoryId[]) {
  if (ids.length === 0) return [];
  return db.selectFrom('repository_advisory_users').selectAll().where('advisory_id', 'in', ids).orderBy('user_id').execute();
}

export async function loadTeamsOf(db: Db, ids: readonly AdvisoryId[]) {
  if (ids.length === 0) return [];
  return db.selectFrom('repository_advisory_teams').selectAll().where('advisory_id', 'in', ids).orderBy('team_id').execute();
}

/** Teams of an account by their slugs. */
export const listTeamsBySlug = (db: Db, organization: Id<'accounts'>, slugs: readonly string[]) =>
  db
    .selectFrom('teams')
    .select(['id', 'slug'])
    .where('organization_id', '=', organization)
    .where(sql<boolean>`lower(slug) = any (${slugs.map((slug) => slug.toLowerCase())}::text[])`)
    .execute();
