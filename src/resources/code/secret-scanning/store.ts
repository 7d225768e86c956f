import { type Selectable, sql, type Updateable } from 'kysely';
import { isCovered, type RepositoriesCovered } from '#access/sql.ts';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { list, listWalked, orderBy } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { gather, keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page, Walked } from '#lib/page.ts';
import type { SecretInText } from './detection/find-in-texts.ts';
import type { FoundSecret } from './detection/find-secrets.ts';

type StoredAlert = Selectable<DB['secret_alerts']>;

/** A location, with the issue or pull request whose text it is in. */
export type LocationRow = Selectable<DB['secret_locations']> & { issue_number: number | null; is_pull_request: boolean | null };

/** An alert, with whether another repository of the owner has the same secret, and whether the secret is public. */
export type AlertRow = StoredAlert & { is_multi_repo: boolean; is_public: boolean };

const alerts = (db: Db) =>
  db
    .selectFrom('secret_alerts as a')
    .innerJoin('repositories as r', 'r.id', 'a.repository_id')
    .selectAll('a')
    .select([isMultiRepo.as('is_multi_repo'), isPublic.as('is_public')]);

const isMultiRepo = sql<boolean>`exists (select from secret_alerts other join repositories o on o.id = other.repository_id
  where other.digest = a.digest and other.secret_type = a.secret_type and other.repository_id <> a.repository_id
    and o.owner_id = r.owner_id and o.secret_scanning)`;
const isPublic = sql<boolean>`(r.visibility = 'public')`;

/** An alert of a repository by its number; none if secret scanning is disabled. */
export const selectAlert = (db: Db, repository: OrSql<Id<'repositories'>>, number: number) =>
  alerts(db).where('a.repository_id', '=', repository).where('a.number', '=', number).where('r.secret_scanning', '=', true);

/** Reads the alert again and locks its row until the transaction ends; undefined if it was deleted. */
export const findAlertForUpdate = (tx: Tx, { id }: Pick<AlertRow, 'id'>): Promise<AlertRow | undefined> =>
  alerts(tx).where('a.id', '=', id).forNoKeyUpdate('a').executeTakeFirst();

export const findAlert = (db: Db, id: Id<'secret_alerts'>): Promise<AlertRow | undefined> =>
  alerts(db).where('a.id', '=', id).executeTakeFirst();

export type AlertFilter = {
  state?: StoredAlert['state'] | undefined;
  types?: readonly string[] | undefined;
  withoutTypes?: readonly string[] | undefined;
  resolutions?: readonly string[] | undefined;
  validities?: readonly string[] | undefined;
  /** `*`: anybody; `none`: nobody; otherwise a login. */
  assignee?: string | undefined;
  isPublic?: boolean | undefined;
  isMultiRepo?: boolean | undefined;
  isBypassed?: boolean | undefined;
  sort: 'created' | 'updated';
  direction: 'asc' | 'desc';
};

/** The alerts of a repository, or of an organization's repositories that a viewer's credential reaches. */
export function listAlerts(db: Db, of: RepositoriesCovered, filter: AlertFilter, page: Page): Promise<Walked<AlertRow>> {
  const { state, types, withoutTypes, resolutions, validities, assignee, sort, direction } = filter;
  let query = alerts(db).where('r.secret_scanning', '=', true).where(isCovered(of));
  if (state !== undefined) query = query.where('a.state', '=', state);
  // Generic patterns without a provider are listed only if the type filter names them.
  query = types === undefined ? query.where('a.is_generic', '=', false) : query.where('a.secret_type', 'in', types);
  if (withoutTypes !== undefined) query = query.where('a.secret_type', 'not in', withoutTypes);
  if (resolutions !== undefined) query = query.where('a.resolution', 'in', resolutions);
  if (validities !== undefined) query = query.where(sql<boolean>`a.validity = any (${[...validities]})`);
  if (assignee === 'none') query = query.where('a.assignee_id', 'is', null);
  else if (assignee === '*') query = query.where('a.assignee_id', 'is not', null);
  else if (assignee !== undefined)
    query = query.where(sql<boolean>`a.assignee_id = (select id from accounts where lower(login) = lower(${assignee}))`);
  if (filter.isPublic) query = query.where(isPublic);
  if (filter.isMultiRepo) query = query.where(isMultiRepo);
  if (filter.isBypassed !== undefined) query = query.where('a.bypassed_at', filter.isBypassed ? 'is not' : 'is', null);
  return listWalked(db, query, orderBy('a', `${sort}_at`, 'timestamptz', direction), page);
}

export const updateAlert = (tx: Tx, id: Id<'secret_alerts'>, change: Updateable<DB['secret_alerts']>) =>
  tx.updateTable('secret_alerts').set(change).where('id', '=', id).execute();

export type KnownAlert = Pick<StoredAlert, 'id' | 'secret_type' | 'digest' | 'locations_count'>;

/** The alerts of a repository about secrets with these digests. */
export const listAlertsByDigest = (db: Db, repository: Id<'repositories'>, digests: readonly Buffer[]): Promise<KnownAlert[]> =>
  db
    .selectFrom('secret_alerts')
    .select(['id', 'secret_type', 'digest', 'locations_count'])
    .where('repository_id', '=', repository)
    .where('digest', 'in', digests)
    .execute();

/** Records bypasses of push protection for secrets that were previously known only from texts. */
export const noteBypasses = (tx: Tx, ids: readonly Id<'secret_alerts'>[], now: Date) =>
  sql`update secret_alerts a set bypassed_by = p.account_id, bypassed_at = p.bypassed_at, updated_at = ${now}
    from secret_alerts known cross join lateral (select * from secret_placeholders p
      where p.repository_id = known.repository_id and p.digest = known.digest and p.bypassed_at is not null
      order by p.bypassed_at desc limit 1) as p
    where known.id = any (${[...ids]}::bigint[]) and known.bypassed_at is null and a.id = known.id`.execute(tx);

/** Reopens alerts that were closed with a custom pattern, or with a former version of one, and that a pattern finds again. */
export async function reopenAlerts(
  tx: Tx,
  found: readonly { alert: Id<'secret_alerts'>; pattern: Id<'secret_patterns'> | undefined }[],
  now: Date,
): Promise<Pick<StoredAlert, 'id'>[]> {
  const { rows } = await sql<Pick<StoredAlert, 'id'>>`
    update secret_alerts a set state = 'open', resolution = null, resolution_comment = null, resolved_at = null,
      resolved_by = null,
      custom_pattern_id = w.pattern, updated_at = ${now}
    from (select distinct on (alert) * from unnest(${gather(found, 'alert')}::bigint[], ${gather(found, 'pattern')}::bigint[])
      as f(alert, pattern)) w
    where a.id = w.alert and a.resolution in ('pattern_deleted', 'pattern_edited') returning a.id`.execute(tx);
  return rows;
}

/** The next alerts of a custom pattern, ordered by id. Their rows are locked until the transaction ends. */
export const listAlertsOfPattern = (
  tx: Tx,
  pattern: Id<'secret_patterns'>,
  { after, limit }: { after: Id<'secret_alerts'>; limit: number },
): Promise<(AlertRow & { owner_id: Id<'accounts'> })[]> =>
  alerts(tx)
    .select('r.owner_id')
    .where('a.custom_pattern_id', '=', pattern)
    .where('a.id', '>', after)
    .orderBy('a.id')
    .limit(limit)
    .forNoKeyUpdate('a')
    .execute();

/** Resolves alerts because of their pattern. If the pattern is deleted, they no longer belong to it. */
export const resolveAlerts = (
  tx: Tx,
  ids: readonly Id<'secret_alerts'>[],
  { resolution, now }: { resolution: 'pattern_deleted' | 'pattern_edited'; now: Date },
) =>
  tx
    .updateTable('secret_alerts')
    .set({ state: 'resolved', resolution, resolved_at: now, resolved_by: null, updated_at: now })
    .where('id', 'in', ids)
    .execute();

export const removeAlerts = (tx: Tx, ids: readonly Id<'secret_alerts'>[]) =>
  tx.deleteFrom('secret_alerts').where('id', 'in', ids).execute();

/** The highest alert number of a repository. The caller has locked the repository. */
export async function findLastNumber(tx: Tx, repository: Id<'repositories'>): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(number), 0) as last from secret_alerts where repository_id = ${repository}`.execute(tx);
  return rows[0]?.last ?? 0;
}

type NewAlert = Omit<StoredAlert, 'id' | 'locations_count' | 'validity' | 'assignee_id'>;

export const insertAlerts = (tx: Tx, rows: readonly NewAlert[]): Promise<KnownAlert[]> =>
  tx.insertInto('secret_alerts').values(rows).returning(['id', 'secret_type', 'digest', 'locations_count']).execute();

/** A secret in a file or in a text. */
export type Found = FoundSecret | SecretInText;

type NewLocation = Found & { alert: Id<'secret_alerts'> };

function locationOf(found: Found) {
  if ('text' in found) return found.text;
  const { commit, blob, path, start_line, end_line, start_column, end_column } = found;
  return { commit_sha: commit, blob_sha: blob, path, start_line, end_line, start_column, end_column };
}

/** Stores new locations, returns them, and adds them to the counts of their alerts. */
export async function insertLocations(
  tx: Tx,
  found: readonly NewLocation[],
  now: Date,
): Promise<Pick<LocationRow, 'id' | 'alert_id'>[]> {
  if (found.length === 0) return [];
  const rows = await tx
    .insertInto('secret_locations')
    .values(found.map((one) => ({ alert_id: one.alert, ...locationOf(one), created_at: now })))
    .onConflict((clash) => clash.doNothing())
    .returning(['id', 'alert_id'])
    .execute();
  await sql`update secret_alerts a set locations_count = locations_count + added.count
    from (select id, count(*)::integer as count from unnest(${rows.map(({ alert_id }) => alert_id)}::bigint[]) as id
      group by id) as added
    where a.id = added.id`.execute(tx);
  return rows;
}

const locations = (db: Db) =>
  db
    .selectFrom('secret_locations as l')
    .leftJoin('issues as i', 'i.id', 'l.issue_id')
    .selectAll('l')
    .select(['i.number as issue_number', 'i.is_pull_request']);

export const listLocations = (db: Db, alert: Id<'secret_alerts'>, page: Page): Promise<Listed<LocationRow>> =>
  list(db, locations(db).where('l.alert_id', '=', alert).orderBy('l.id'), page);

export const findLocation = (db: Db, id: Id<'secret_locations'>): Promise<LocationRow | undefined> =>
  locations(db).where('l.id', '=', id).executeTakeFirst();

/** The first location of each of the given secrets. */
export async function loadFirstLocations(
  db: Db,
  ids: readonly Id<'secret_alerts'>[],
): Promise<ReadonlyMap<Id<'secret_alerts'>, LocationRow>> {
  if (ids.length === 0) return new Map();
  const rows = await locations(db)
    .where(
      sql<boolean>`l.id in (select first.id from unnest(${[...ids]}::bigint[]) as alert(id) cross join lateral
        (select f.id from secret_locations f where f.alert_id = alert.id order by f.id limit 1) as first)`,
    )
    .execute();
  return keyed(rows, ({ alert_id }) => alert_id);
}
