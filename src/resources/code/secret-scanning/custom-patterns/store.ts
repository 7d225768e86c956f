// Custom patterns of organizations and repositories, and what organizations want of push protection for each pattern.
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { listWalked, orderBy } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { gather, getOrThrow, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Page, Walked } from '#lib/page.ts';
import type { CustomPattern } from '../detection/custom-scanner.ts';

export type PatternRow = Selectable<DB['secret_patterns']>;

/** The owner of patterns: an organization, or a single repository. */
export type PatternOwner = { readonly organization: Id<'accounts'> } | { readonly repository: Id<'repositories'> };

const ownedBy = (owner: PatternOwner) =>
  'organization' in owner
    ? sql<boolean>`p.organization_id = ${owner.organization}`
    : sql<boolean>`p.repository_id = ${owner.repository}`;

const patterns = (db: Db) => db.selectFrom('secret_patterns as p').selectAll().where('p.removal', 'is', null);

/** A pattern of an organization. */
export const selectOrgPattern = (db: Db, organization: OrSql<Id<'accounts'>>, id: Id<'secret_patterns'>) =>
  patterns(db).where('p.organization_id', '=', organization).where('p.id', '=', id);

/** A pattern of a repository. */
export const selectRepoPattern = (db: Db, repository: OrSql<Id<'repositories'>>, id: Id<'secret_patterns'>) =>
  patterns(db).where('p.repository_id', '=', repository).where('p.id', '=', id);

/** A pattern again, its row locked until the transaction ends. */
export const findPatternForUpdate = (tx: Tx, { id }: Pick<PatternRow, 'id'>): Promise<PatternRow | undefined> =>
  patterns(tx).where('p.id', '=', id).forNoKeyUpdate().executeTakeFirst();

type PatternFilter = {
  readonly state?: PatternRow['state'] | undefined;
  readonly pushProtection?: boolean | undefined;
  readonly sort: 'created' | 'updated' | 'name';
  readonly direction: 'asc' | 'desc';
};

/** One page of the patterns that somebody has. */
export function listPatterns(db: Db, owner: PatternOwner, filter: PatternFilter, page: Page): Promise<Walked<PatternRow>> {
  const { state, pushProtection, sort, direction } = filter;
  let query = patterns(db).where(ownedBy(owner));
  if (state !== undefined) query = query.where('p.state', '=', state);
  if (pushProtection !== undefined) query = query.where('p.push_protection', '=', pushProtection);
  const order = sort === 'name' ? orderBy('p', 'name', 'text', direction) : orderBy('p', `${sort}_at`, 'timestamptz', direction);
  return listWalked(db, query, order, page);
}

/** All patterns of an owner, up to the limit, their rows locked until the transaction ends. */
export const listPatternsForUpdate = (tx: Tx, owner: PatternOwner): Promise<PatternRow[]> =>
  patterns(tx).where(ownedBy(owner)).orderBy('p.id').forNoKeyUpdate().execute();

/** All patterns that an organization has, in the order in which they were made. */
export const listAllPatterns = (db: Db, organization: Id<'accounts'>): Promise<PatternRow[]> =>
  patterns(db).where('p.organization_id', '=', organization).orderBy('p.id').execute();

type NewPattern = Omit<Insertable<DB['secret_patterns']>, 'version' | 'push_protection' | 'removal'>;

export const insertPatterns = (tx: Tx, rows: readonly NewPattern[]): Promise<PatternRow[]> =>
  tx.insertInto('secret_patterns').values(rows).returningAll().execute();

/** Changes what a pattern finds, and gives it another version. */
export const updatePattern = (
  tx: Tx,
  id: Id<'secret_patterns'>,
  change: Updateable<DB['secret_patterns']>,
): Promise<PatternRow[]> =>
  tx
    .updateTable('secret_patterns')
    .set({ ...change, version: sql`nextval('secret_pattern_versions')` })
    .where('id', '=', id)
    .returningAll()
    .execute();

/** Marks patterns as deleted, with what is to become of their alerts. */
export const updateRemoval = (tx: Tx, ids: readonly Id<'secret_patterns'>[], removal: 'delete_alerts' | 'resolve_alerts') =>
  tx.updateTable('secret_patterns').set({ removal, push_protection: false }).where('id', 'in', ids).execute();

/** A pattern, also one that was deleted and whose alerts are still there. */
export const findAnyPattern = (db: Db, id: Id<'secret_patterns'>): Promise<PatternRow | undefined> =>
  db.selectFrom('secret_patterns').selectAll().where('id', '=', id).executeTakeFirst();

/** Removes the row of a deleted pattern. */
export const removePattern = (tx: Tx, id: Id<'secret_patterns'>) =>
  tx.deleteFrom('secret_patterns').where('id', '=', id).execute();

/** Of these patterns, those that aren't deleted; they can't be until the transaction ends. */
export const listPresentPatterns = async (
  tx: Tx,
  ids: readonly Id<'secret_patterns'>[],
): Promise<ReadonlySet<Id<'secret_patterns'>>> => {
  const rows = await tx
    .selectFrom('secret_patterns')
    .select('id')
    .where('id', 'in', ids)
    .where('removal', 'is', null)
    .orderBy('id')
    .forKeyShare()
    .execute();
  return new Set(rows.map(({ id }) => id));
};

type PatternScope = { readonly repository: Id<'repositories'>; readonly owner: Id<'accounts'> };

/** A pattern as scans need it. */
export type ScannedPattern = CustomPattern &
  Pick<PatternRow, 'version' | 'push_protection' | 'organization_id' | 'repository_id'>;

/** The published patterns that apply to each of some repositories: its own, and its organization's. */
export async function loadScannedPatterns(
  db: Db,
  locations: readonly PatternScope[],
): Promise<ReadonlyMap<Id<'repositories'>, ScannedPattern[]>> {
  const [repositories, owners] = [gather(locations, 'repository'), unique(gather(locations, 'owner'))];
  const found = await db
    .selectFrom('secret_patterns as p')
    .select(['id', 'name', 'slug', 'expression', 'start_delimiter', 'end_delimiter', 'must_match', 'must_not_match'])
    .select(['version', 'push_protection', 'organization_id', 'repository_id'])
    .where(sql<boolean>`(p.repository_id = any (${repositories}::bigint[]) or p.organization_id = any (${owners}::bigint[]))`)
    .where('p.state', '=', 'published')
    .where('p.removal', 'is', null)
    .orderBy('p.id')
    .execute();
  const holdsIn = (location: PatternScope) => (row: ScannedPattern) =>
    row.repository_id === location.repository || row.organization_id === location.owner;
  return new Map(locations.map((location) => [location.repository, found.filter(holdsIn(location))]));
}

/** The published patterns that are looked for in a repository. */
export const listScannedPatterns = async (db: Db, location: PatternScope): Promise<ScannedPattern[]> =>
  getOrThrow(await loadScannedPatterns(db, [location]), location.repository);

/** Slugs that patterns of an organization, or of a repository and of its owner, have. */
export async function listSlugs(
  db: Db,
  { repository, owner }: { repository?: Id<'repositories'>; owner: Id<'accounts'> },
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('secret_patterns as p')
    .select('p.slug')
    .where(sql<boolean>`(p.organization_id = ${owner} or p.repository_id = ${repository ?? null})`)
    .where('p.removal', 'is', null)
    .execute();
  return new Set(rows.map(({ slug }) => slug));
}

type Settings = ReadonlyMap<string, 'enabled' | 'disabled'>;

/** What an organization wants of push protection for known forms, by type; none for those that it left as they are. */
export async function loadSettings(db: Db, organization: Id<'accounts'>): Promise<Settings> {
  const rows = await db
    .selectFrom('secret_pattern_settings')
    .select(['secret_type', 'push_protection'])
    .where('organization_id', '=', organization)
    .orderBy('secret_type')
    .execute();
  return new Map(rows.map(({ secret_type, push_protection }) => [secret_type, push_protection]));
}

type Setting = Selectable<DB['secret_pattern_settings']>;

export const putSettings = (tx: Tx, rows: readonly Setting[]) =>
  tx
    .insertInto('secret_pattern_settings')
    .values(rows)
    .onConflict((clash) =>
      clash.columns(['organization_id', 'secret_type']).doUpdateSet({ push_protection: sql`excluded.push_protection` }),
    )
    .execute();

export const removeSettings = (tx: Tx, organization: Id<'accounts'>, types: readonly string[]) =>
  tx
    .deleteFrom('secret_pattern_settings')
    .where('organization_id', '=', organization)
    .where('secret_type', 'in', types)
    .execute();

/** Sets which patterns keep people from pushing; their versions stay, since they find the same. */
export const updatePushProtection = (tx: Tx, ids: readonly Id<'secret_patterns'>[], push_protection: boolean) =>
  tx.updateTable('secret_patterns').set({ push_protection }).where('id', 'in', ids).execute();

/** How many alerts of a type the repositories of an organization have: all of them, false ones and bypassed ones. */
export type AlertCounts = { secret_type: string; total: number; false_positives: number; bypassed: number };

export async function listAlertCounts(db: Db, organization: Id<'accounts'>): Promise<AlertCounts[]> {
  const { rows } = await sql<AlertCounts>`
    select a.secret_type, count(*)::integer as total,
      count(*) filter (where a.resolution = 'false_positive')::integer as false_positives,
      count(*) filter (where a.bypassed_at is not null)::integer as bypassed
    from secret_alerts a join repositories r on r.id = a.repository_id
    where r.owner_id = ${organization} and r.secret_scanning
    group by a.secret_type`.execute(db);
  return rows;
}

/** The repositories of an organization in which secrets are looked for. */
export const listScannedOf = async (db: Db, organization: Id<'accounts'>): Promise<Id<'repositories'>[]> =>
  (
    await db
      .selectFrom('repositories')
      .select('id')
      .where('owner_id', '=', organization)
      .where('secret_scanning', '=', true)
      .orderBy('id')
      .execute()
  ).map(({ id }) => id);
