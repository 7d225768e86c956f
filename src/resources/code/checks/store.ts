import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { permissionIn } from '#access/sql.ts';
import { type Db, type OrSql, sendUnawaited, type Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Oid } from '#git/objects/oid.ts';
import { gather, keyed, unique } from '#lib/collections.ts';
import type { Id, RepositoryId } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import type { Listed, Page } from '#lib/page.ts';
import { checkLimits } from './limits.ts';
import type { RunFilter, SuiteFilter } from './schemas.ts';

export type SuiteRow = Selectable<DB['check_suites']>;
export type RunRow = Selectable<DB['check_runs']>;
export type AnnotationRow = Selectable<DB['check_annotations']>;

type CommitKey = { repository: RepositoryId; commit: Oid };

/** A suite that a push requests, one for each app that checks the repository. */
export type PushedHead = {
  repository: RepositoryId;
  commit: Oid;
  branch: string;
  before: Oid | null;
  by: Id<'accounts'> | undefined;
  at: Date;
};

const maxSuites = fixedValue(checkLimits.suites);
const maxRuns = fixedValue(checkLimits.runs);

export const selectSuite = (db: Db, repository: OrSql<RepositoryId>, id: Id<'check_suites'>) =>
  db.selectFrom('check_suites').selectAll().where('repository_id', '=', repository).where('id', '=', id);

export const loadSuites = async (db: Db, ids: readonly Id<'check_suites'>[]): Promise<Map<Id<'check_suites'>, SuiteRow>> =>
  keyed(await db.selectFrom('check_suites').selectAll().where('id', 'in', unique(ids)).execute(), ({ id }) => id);

export const findSuiteForUpdate = (tx: Tx, { id }: Pick<SuiteRow, 'id'>): Promise<SuiteRow | undefined> =>
  tx.selectFrom('check_suites').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

/** The suite of an app for a commit. */
export const findSuiteOf = (db: Db, { repository, commit }: CommitKey, app: Id<'apps'>): Promise<SuiteRow | undefined> =>
  db
    .selectFrom('check_suites')
    .selectAll()
    .where('repository_id', '=', repository)
    .where('head_sha', '=', commit)
    .where('app_id', '=', app)
    .where('key', '=', '')
    .executeTakeFirst();

/** Adds a suite, or finds the existing one for the app and commit. Its row is locked in both cases. */
export async function putSuiteForUpdate(
  tx: Tx,
  row: Omit<Insertable<DB['check_suites']>, 'status'>,
): Promise<SuiteRow & { is_new: boolean }> {
  return tx
    .insertInto('check_suites')
    .values({ ...row, status: 'queued' })
    .onConflict((conflict) =>
      conflict
        .columns(['repository_id', 'head_sha', 'app_id', 'key'])
        .doUpdateSet({ updated_at: sql.ref<Date>('check_suites.updated_at') }),
    )
    .returningAll()
    .returning(sql<boolean>`xmax = 0`.as('is_new'))
    .executeTakeFirstOrThrow();
}

/**
 * Adds the suites of pushed commits: for each app that has `checks:write` and is installed on the repository, unless it opted out
 * or already has a suite for the commit. An existing suite, which its first run created, gets the pusher. Returns the new suites.
 */
export async function insertPushedSuites(tx: Tx, heads: readonly PushedHead[]): Promise<SuiteRow[]> {
  const { rows } = await sql<SuiteRow & { is_new: boolean }>`
    insert into check_suites (repository_id, app_id, head_sha, head_branch, before_sha, after_sha, pushed_by, status,
      created_at, updated_at)
    select distinct on (r.id, h.commit, i.app_id)
      r.id, i.app_id, h.commit, h.branch, h.before, h.commit, a.id, 'queued', h.at, h.at
    from jsonb_to_recordset(${JSON.stringify(heads)}::jsonb) as h(repository bigint, commit text, branch text, before text,
        by bigint, at timestamptz)
      join repositories r on r.id = h.repository
      left join accounts a on a.id = h.by
      join installations i on i.account_id = r.owner_id and i.suspended_at is null
        and ${permissionIn(sql`i.permissions`, 'checks:write')}
      join apps on apps.id = i.app_id and apps.built_in is null
    where (i.repository_selection = 'all' or exists (
        select from installation_repositories ir where ir.installation_id = i.id and ir.repository_id = r.id))
      and not exists (select from check_suite_preferences p
        where p.repository_id = r.id and p.app_id = i.app_id and not p.auto_trigger)
    order by r.id, h.commit, i.app_id
    on conflict (repository_id, head_sha, app_id, key) do update set pushed_by = excluded.pushed_by
    where check_suites.pushed_by is null
    returning *, xmax = 0 as is_new`.execute(tx);
  return rows.filter(({ is_new }) => is_new);
}

export const updateSuite = (tx: Tx, id: Id<'check_suites'>, change: Updateable<DB['check_suites']>) =>
  tx.updateTable('check_suites').set(change).where('id', '=', id).execute();

const suitesOf = (db: Db, { repository, commit }: CommitKey) =>
  db.selectFrom('check_suites').where('repository_id', '=', repository).where('head_sha', '=', commit);

/** The suites of a commit, oldest first. */
export function listSuites(db: Db, key: CommitKey, { app_id, check_name }: SuiteFilter, page: Page): Promise<Listed<SuiteRow>> {
  let query = suitesOf(db, key).selectAll();
  if (app_id !== undefined) query = query.where(sql<boolean>`app_id = ${app_id}`);
  if (check_name !== undefined)
    query = query.where(
      sql<boolean>`exists (select from check_runs r where r.check_suite_id = check_suites.id and r.name = ${check_name})`,
    );
  return list(db, query.orderBy('id'), page);
}

export const selectRun = (db: Db, repository: OrSql<RepositoryId>, id: Id<'check_runs'>) =>
  db.selectFrom('check_runs').selectAll().where('repository_id', '=', repository).where('id', '=', id);

export const loadRuns = async (db: Db, ids: readonly Id<'check_runs'>[]): Promise<Map<Id<'check_runs'>, RunRow>> =>
  keyed(await db.selectFrom('check_runs').selectAll().where('id', 'in', unique(ids)).execute(), ({ id }) => id);

/** Reads the run again; undefined if it was deleted. Its suite is locked, as for all changes of a run. */
export async function findRunForUpdate(
  tx: Tx,
  { id, check_suite_id }: Pick<RunRow, 'id' | 'check_suite_id'>,
): Promise<RunRow | undefined> {
  const run = tx.selectFrom('check_runs').selectAll().where('id', '=', id);
  const [, found] = await Promise.all([findSuiteForUpdate(tx, { id: check_suite_id }), run.executeTakeFirst()]);
  return found;
}

export const findRun = (db: Db, id: Id<'check_runs'>): Promise<RunRow | undefined> =>
  db.selectFrom('check_runs').selectAll().where('id', '=', id).executeTakeFirst();

/** Reads the suite of a run and locks its row. */
export const findSuiteOfRunForUpdate = (tx: Tx, run: Id<'check_runs'>): Promise<SuiteRow | undefined> =>
  tx
    .selectFrom('check_suites')
    .selectAll()
    .where('id', '=', (of) => of.selectFrom('check_runs').select('check_suite_id').where('id', '=', run))
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Sets a suite to in progress, unless it already is. */
export const beginSuite = (tx: Tx, id: Id<'check_suites'>, now: Date) =>
  tx
    .updateTable('check_suites')
    .set({ status: 'in_progress', conclusion: null, updated_at: now })
    .where('id', '=', id)
    .where('status', '<>', 'in_progress')
    .execute();

/** Sets unfinished runs of a suite to in progress. */
export const beginRuns = (tx: Tx, suite: Id<'check_suites'>, ids: readonly Id<'check_runs'>[], now: Date) =>
  tx
    .updateTable('check_runs')
    .set({ status: 'in_progress', started_at: now, open_since: sql`coalesce(open_since, ${now})`, updated_at: now })
    .where('id', 'in', [...ids])
    .where('check_suite_id', '=', suite)
    .where('status', '<>', 'completed')
    .execute();

/** The runs that match a filter, newest first. */
function filtered(db: Db, { check_name, status, filter }: RunFilter) {
  let query = db.selectFrom('check_runs').selectAll().orderBy('id', 'desc');
  if (filter === 'latest') query = query.where('is_latest', '=', sql.lit(true));
  if (check_name !== undefined) query = query.where('name', '=', check_name);
  if (status !== undefined) query = query.where('status', '=', status);
  return query;
}

/** The runs of a suite, newest first. */
export const listRunsOfSuite = (db: Db, suite: Id<'check_suites'>, filter: RunFilter, page: Page): Promise<Listed<RunRow>> =>
  list(db, filtered(db, filter).where('check_suite_id', '=', suite), page);

/** The runs of the newest suites of a commit, newest first. */
export function listRunsOfCommit(
  db: Db,
  key: CommitKey,
  filter: RunFilter & Pick<SuiteFilter, 'app_id'>,
  page: Page,
): Promise<Listed<RunRow>> {
  const newest = suitesOf(db, key).select('id').orderBy('id', 'desc').limit(sql.lit(maxSuites));
  let query = filtered(db, filter)
    .where('repository_id', '=', key.repository)
    .where('head_sha', '=', key.commit)
    .where(sql<boolean>`check_suite_id = any (array(${newest}))`);
  if (filter.app_id !== undefined) query = query.where(sql<boolean>`app_id = ${filter.app_id}`);
  return list(db, query, page);
}

/** Adds a run. It is the latest with its name in its suite, which is locked. */
export async function insertRun(tx: Tx, row: Omit<Insertable<DB['check_runs']>, 'is_latest'>): Promise<RunRow> {
  const superseded = tx
    .updateTable('check_runs')
    .set({ is_latest: false })
    .where('check_suite_id', '=', row.check_suite_id)
    .where('name', '=', row.name)
    .where('is_latest', '=', sql.lit(true));
  sendUnawaited(tx, superseded.compile());
  const inserted = await tx
    .insertInto('check_runs')
    .values({ ...row, is_latest: true })
    .returningAll()
    .executeTakeFirstOrThrow();
  return inserted;
}

/** The columns of runs that differ within one suite. */
type AppRun = Omit<Insertable<DB['check_runs']>, 'is_latest' | 'check_suite_id' | 'repository_id' | 'app_id' | 'head_sha'>;

/** Reserves ids for runs that are inserted later. */
export async function reserveRunIds(tx: Tx, count: number): Promise<Id<'check_runs'>[]> {
  const { rows } = await sql<{ id: Id<'check_runs'> }>`
    select nextval('check_runs_id_seq') as id from generate_series(1, ${count}::int)`.execute(tx);
  return gather(rows, 'id');
}

/** Adds runs to a suite, which is locked. Each is the latest with its name. */
export async function insertAppRuns(tx: Tx, suite: SuiteRow, rows: readonly AppRun[]): Promise<RunRow[]> {
  const names = rows.map(({ name }) => name);
  const superseded = tx
    .updateTable('check_runs')
    .set({ is_latest: false })
    .where('check_suite_id', '=', suite.id)
    .where(sql<boolean>`name = any (${names}::text[])`)
    .where('is_latest', '=', sql.lit(true));
  sendUnawaited(tx, superseded.compile());
  const { id: check_suite_id, repository_id, app_id, head_sha } = suite;
  return tx
    .insertInto('check_runs')
    .values(rows.map((row) => ({ ...row, check_suite_id, repository_id, app_id, head_sha, is_latest: true })))
    .returningAll()
    .execute();
}

/** Removes the oldest runs of a suite beyond the limit for each of these names. */
export function removeOldestRuns(tx: Tx, suite: Id<'check_suites'>, names: readonly string[]): void {
  const oldest = sql`
    delete from check_runs where id = any (array(
      select o.id from unnest(${[...names]}::text[]) as n(name) cross join lateral (
        select r.id from check_runs r where r.check_suite_id = ${suite} and r.name = n.name
        order by r.id desc offset ${maxRuns}) o))`;
  sendUnawaited(tx, oldest.compile(tx));
}

export const updateRun = (tx: Tx, id: Id<'check_runs'>, change: Updateable<DB['check_runs']>): Promise<RunRow> =>
  tx.updateTable('check_runs').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow();

/** Updates which runs of a suite are the latest with these names. */
export function updateLatest(tx: Tx, suite: Id<'check_suites'>, names: readonly string[]): void {
  const marked = sql`
    update check_runs r set is_latest = not r.is_latest
    where r.check_suite_id = ${suite} and r.name = any (${[...names]}::text[])
      and r.is_latest <> (r.id = (select max(l.id) from check_runs l
        where l.check_suite_id = r.check_suite_id and l.name = r.name))`;
  sendUnawaited(tx, marked.compile(tx));
}

/** The number of a suite's latest runs in the same state. */
export type RunCount = Pick<RunRow, 'status' | 'conclusion'> & { count: number };

export const countLatestRuns = (tx: Tx, suite: Id<'check_suites'>): Promise<RunCount[]> =>
  tx
    .selectFrom('check_runs')
    .select(({ fn }) => ['status', 'conclusion', fn.countAll<number>().as('count')])
    .where('check_suite_id', '=', suite)
    .where('is_latest', '=', sql.lit(true))
    .groupBy(['status', 'conclusion'])
    .execute();

export function insertAnnotations(tx: Tx, rows: readonly Insertable<DB['check_annotations']>[]): void {
  if (rows.length > 0)
    sendUnawaited(
      tx,
      tx
        .insertInto('check_annotations')
        .values([...rows])
        .compile(),
    );
}

/** The annotations of a run, oldest first. */
export const listAnnotations = (db: Db, run: Id<'check_runs'>, page: Page): Promise<Listed<AnnotationRow>> =>
  list(db, db.selectFrom('check_annotations').selectAll().where('check_run_id', '=', run).orderBy('id'), page);

/** The first annotations of several runs, failures before warnings and notices. */
export const listAnnotationsOf = (db: Db, runs: readonly Id<'check_runs'>[], limit: number): Promise<AnnotationRow[]> =>
  db
    .selectFrom('check_annotations')
    .selectAll()
    .where(sql<boolean>`check_run_id = any (${[...runs]}::bigint[])`)
    .orderBy(sql`array_position(array['failure', 'warning', 'notice'], annotation_level)`)
    .orderBy('id')
    .limit(limit)
    .execute();

/** Suites with runs that were open before a time, with the repository's owner, up to a limit. */
export async function listSuitesWithStaleRuns(db: Db, before: Date, limit: number): Promise<StaleSuite[]> {
  const { rows } = await sql<StaleSuite>`
    select distinct s.id, s.repository_id, r.owner_id
    from (select check_suite_id as id, repository_id from check_runs
      where open_since < ${before} order by open_since limit ${limit}) s
      join repositories r on r.id = s.repository_id`.execute(db);
  return rows;
}
export type StaleSuite = { id: Id<'check_suites'>; repository_id: RepositoryId; owner_id: Id<'accounts'> };

/** Marks the runs of a suite that were open before a time as stale. */
export const updateStaleRuns = (
  tx: Tx,
  suite: Id<'check_suites'>,
  { before, now }: { before: Date; now: Date },
): Promise<{ id: Id<'check_runs'> }[]> =>
  tx
    .updateTable('check_runs')
    .set({ status: 'completed', conclusion: 'stale', completed_at: now, open_since: null, updated_at: now })
    .where('check_suite_id', '=', suite)
    .where('open_since', '<', before)
    .returning('id')
    .execute();

type PreferenceRow = Selectable<DB['check_suite_preferences']>;

export const listPreferences = (db: Db, repository: RepositoryId): Promise<PreferenceRow[]> =>
  db.selectFrom('check_suite_preferences').selectAll().where('repository_id', '=', repository).orderBy('app_id').execute();

export const putPreferences = (tx: Tx, rows: readonly PreferenceRow[]) =>
  tx
    .insertInto('check_suite_preferences')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['repository_id', 'app_id']).doUpdateSet(({ ref }) => ({ auto_trigger: ref('excluded.auto_trigger') })),
    )
    .execute();

/** The number of a commit's latest runs that aren't completed or didn't succeed. */
export async function countUnsuccessfulRuns(db: Db, { repository, commit }: CommitKey): Promise<number> {
  const { count } = await db
    .selectFrom('check_runs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('repository_id', '=', repository)
    .where('head_sha', '=', commit)
    .where('is_latest', '=', sql.lit(true))
    .where(sql<boolean>`coalesce(conclusion not in ('success', 'neutral', 'skipped'), true)`)
    .executeTakeFirstOrThrow();
  return count;
}

/** A commit's latest runs with these names, from all apps, in one statement. */
export const listLatestNamed = (
  db: Db,
  { repository, commit }: CommitKey,
  names: readonly string[],
): Promise<Pick<RunRow, 'name' | 'app_id' | 'status' | 'conclusion'>[]> =>
  db
    .selectFrom('check_runs')
    .select(['name', 'app_id', 'status', 'conclusion'])
    .where('repository_id', '=', repository)
    .where('head_sha', '=', commit)
    .where('is_latest', '=', sql.lit(true))
    .where(sql<boolean>`name = any (${[...names]}::text[])`)
    .execute();

/** A suite in notifications. If the suite has no branch, the branch of a pull request is used. */
export type EndedSuite = Pick<SuiteRow, 'conclusion' | 'head_sha'> & { app: string; branch: string | null; is_of_run: boolean };

export async function findEndedSuite(db: Db, id: Id<'check_suites'>): Promise<EndedSuite | undefined> {
  const { rows } = await sql<EndedSuite>`
    select s.conclusion, s.head_sha, a.name as app, coalesce(s.head_branch, (
      select p.head_ref from pull_requests p where p.repository_id = s.repository_id and p.head_sha = s.head_sha
      order by p.pull_id desc limit 1)) as branch,
      exists (select from workflow_runs w where w.check_suite_id = s.id) as is_of_run
    from check_suites s join apps a on a.id = s.app_id where s.id = ${id}`.execute(db);
  return rows[0];
}

/** An open pull request in the same repository whose head is a given commit. */
export type PullOfHead = {
  pull_id: number;
  number: number;
  base_ref: string;
  base_sha: Oid;
  head_ref: string;
  head_sha: Oid;
  repository: string;
};

/** The open pull requests whose heads are these commits. As in the public API, heads in forks don't count. */
export async function listPullsOfHeads(db: Db, repository: RepositoryId, commits: readonly Oid[]): Promise<PullOfHead[]> {
  if (commits.length === 0) return [];
  const { rows } = await sql<PullOfHead>`
    select p.pull_id, i.number, p.base_ref, p.base_sha, p.head_ref, p.head_sha, r.name as repository
    from pull_requests p join issues i on i.id = p.issue_id join repositories r on r.id = p.repository_id
    where p.repository_id = ${repository} and p.head_repository_id = ${repository} and i.state = 'open'
      and p.head_sha = any (${[...commits]}::text[])
    order by i.number`.execute(db);
  return rows;
}
