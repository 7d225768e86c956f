import { type Selectable, sql, type Updateable } from 'kysely';
import { isCovered, type RepositoriesCovered } from '#access/sql.ts';
import type { Db, OrSql, Tx } from '#database/connect.ts';
import { listWalked, orderBy } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import type { Page, Walked } from '#lib/page.ts';
import { isAssignedAs } from '#resources/repositories/collaborators/index.ts';
import type { AdvisoryRow, VulnerabilityRow } from './advisory-store.ts';
import { alertLimits } from './limits.ts';

type StoredAlert = Selectable<DB['dependency_alerts']>;

/** An alert, with the fields of its advisory that lists are filtered by. */
export type AlertRow = StoredAlert;
export type NewAlert = Omit<StoredAlert, 'id'>;

const alerts = (db: Db) =>
  db.selectFrom('dependency_alerts as a').innerJoin('repositories as r', 'r.id', 'a.repository_id').selectAll('a');

/** An alert of a repository by its number; undefined if vulnerability alerts are disabled. */
export const selectAlert = (db: Db, repository: OrSql<Id<'repositories'>>, number: number) =>
  alerts(db).where('a.repository_id', '=', repository).where('a.number', '=', number).where('r.vulnerability_alerts', '=', true);

/** Reads the alert again and locks its row until the transaction ends; undefined if it was deleted. */
export const findAlertForUpdate = (tx: Tx, { id }: Pick<AlertRow, 'id'>): Promise<AlertRow | undefined> =>
  alerts(tx).where('a.id', '=', id).forNoKeyUpdate('a').executeTakeFirst();

export const findAlert = (db: Db, id: Id<'dependency_alerts'>): Promise<AlertRow | undefined> =>
  db.selectFrom('dependency_alerts').selectAll().where('id', '=', id).executeTakeFirst();

export type AlertFilter = {
  states?: readonly string[] | undefined;
  severities?: readonly string[] | undefined;
  ecosystems?: readonly string[] | undefined;
  packages?: readonly string[] | undefined;
  manifests?: readonly string[] | undefined;
  classifications?: readonly string[] | undefined;
  relationships?: readonly string[] | undefined;
  scope?: string | undefined;
  hasPatch?: boolean | undefined;
  /** Logins; `*` means anybody, `none` means nobody. */
  assignees?: readonly string[] | undefined;
  sort: 'created' | 'updated';
  direction: 'asc' | 'desc';
};

/** The alerts of a repository, or of an organization's repositories that a viewer's credential reaches. */
export function listAlerts(db: Db, of: RepositoriesCovered, filter: AlertFilter, page: Page): Promise<Walked<AlertRow>> {
  let query = alerts(db)
    .innerJoin('advisories as v', 'v.id', 'a.advisory_id')
    .where('r.vulnerability_alerts', '=', true)
    .where(isCovered(of));
  for (const [column, words] of [
    ['a.state', filter.states],
    ['v.severity', filter.severities],
    ['a.ecosystem', filter.ecosystems],
    ['a.package', filter.packages],
    ['a.manifest_path', filter.manifests],
    ['v.classification', filter.classifications],
    ['a.relationship', filter.relationships],
    ['a.scope', filter.scope === undefined ? undefined : [filter.scope]],
  ] as const)
    if (words !== undefined) query = query.where(sql<boolean>`${sql.ref(column)} = any (${[...words]}::text[])`);
  if (filter.assignees) query = query.where(isAssignedAs('dependency_alert_assignees', filter.assignees));
  if (filter.hasPatch !== undefined) query = query.where('a.first_patched_version', filter.hasPatch ? 'is not' : 'is', null);
  return listWalked(db, query, orderBy('a', `${filter.sort}_at`, 'timestamptz', filter.direction), page);
}

/** An open alert for which there is a version that mends it. */
export type MendableAlert = Pick<StoredAlert, 'manifest_path' | 'ecosystem' | 'package' | 'vulnerable_version_range'> & {
  readonly first_patched_version: string;
};

/** The open alerts of a repository for which there is a version that mends them; none if vulnerability alerts are disabled. */
export const listMendable = async (db: Db, repository: Id<'repositories'>): Promise<MendableAlert[]> =>
  (await alerts(db)
    .where('a.repository_id', '=', repository)
    .where('a.state', '=', 'open')
    .where('a.first_patched_version', 'is not', null)
    .where('r.vulnerability_alerts', '=', true)
    .orderBy('a.id')
    .execute()) as (StoredAlert & MendableAlert)[];

/** The number of open alerts of a repository by ecosystem, with and without a version that mends them. */
export async function countOpenAlerts(
  db: Db,
  repository: Id<'repositories'>,
): Promise<{ readonly ecosystem: AlertRow['ecosystem']; readonly isMendable: boolean; readonly count: number }[]> {
  const rows = await db
    .selectFrom('dependency_alerts')
    .select([
      'ecosystem',
      sql<boolean>`first_patched_version is not null`.as('isMendable'),
      sql<number>`count(*)::integer`.as('count'),
    ])
    .where('repository_id', '=', repository)
    .where('state', '=', 'open')
    .groupBy(['ecosystem', sql`first_patched_version is not null`])
    .orderBy('ecosystem')
    .execute();
  return rows;
}

/** The advisories of open alerts about these packages of a repository. */
export const listMendedAdvisories = (
  db: Db,
  repository: Id<'repositories'>,
  { ecosystem, packages }: { readonly ecosystem: AlertRow['ecosystem']; readonly packages: readonly string[] },
) =>
  db
    .selectFrom('dependency_alerts as a')
    .innerJoin('advisories as v', 'v.id', 'a.advisory_id')
    .select(['a.package', 'v.identifier', 'v.cve', 'v.severity', 'v.summary', 'a.vulnerable_version_range'])
    .distinct()
    .where('a.repository_id', '=', repository)
    .where('a.state', '=', 'open')
    .where('a.ecosystem', '=', ecosystem)
    .where('a.package', 'in', packages)
    .orderBy('a.package')
    .orderBy('v.identifier')
    .execute();

export const updateAlert = (tx: Tx, id: Id<'dependency_alerts'>, change: Updateable<DB['dependency_alerts']>) =>
  tx.updateTable('dependency_alerts').set(change).where('id', '=', id).execute();

/** Assigns an alert to exactly these users. */
export async function replaceAssignees(tx: Tx, alert: AlertRow['id'], accounts: readonly Id<'accounts'>[]): Promise<void> {
  await tx.deleteFrom('dependency_alert_assignees').where('alert_id', '=', alert).execute();
  if (accounts.length === 0) return;
  await tx
    .insertInto('dependency_alert_assignees')
    .values(accounts.map((account_id) => ({ alert_id: alert, account_id })))
    .execute();
}

export const insertAlerts = (tx: Tx, rows: readonly NewAlert[]): Promise<Pick<AlertRow, 'id'>[]> =>
  tx.insertInto('dependency_alerts').values(rows).returning('id').execute();

/** A dependency of a repository on a package that has advisories. */
export type Candidate = Pick<StoredAlert, 'manifest_path' | 'scope' | 'relationship' | 'package'> & {
  ecosystem: VulnerabilityRow['ecosystem'];
  version: string;
};

/**
 * Whether the advisory `a` counts in the repository `r`. Advisories from files count in all repositories. Advisories that a
 * repository of this server published are unreviewed, so they count only in its owner's repositories.
 */
const counts = sql<boolean>`(not a.is_own or exists (select from repository_advisories own
  join repositories o on o.id = own.repository_id
  where own.id = a.repository_advisory_id and o.owner_id = r.owner_id and o.visibility = 'public'))`;

/** The dependencies of a repository whose packages have advisories. */
export const listCandidates = async (db: Db, repository: Id<'repositories'>): Promise<Candidate[]> =>
  (
    await sql<Candidate>`select m.path as manifest_path, d.scope, d.relationship, d.version, d.ecosystem, d.name as package
      from current_dependency_manifests m
      join dependencies d on d.manifest_id = m.id and d.version is not null and d.package_url is null
      where m.repository_id = ${repository}
        and exists (select from advisory_vulnerabilities v where v.ecosystem = d.ecosystem and v.package = d.name)
      order by m.path, d.name, d.id`.execute(db)
  ).rows;

export type ReviewedVulnerability = VulnerabilityRow & Pick<AdvisoryRow, 'identifier' | 'severity' | 'summary'>;

/**
 * The vulnerabilities of packages that count in a repository, except those of withdrawn advisories; one more than may be
 * compared.
 */
export const listVulnerabilitiesOf = async (
  db: Db,
  repository: Id<'repositories'>,
  packages: readonly { ecosystem: string; package: string }[],
): Promise<ReviewedVulnerability[]> => {
  if (packages.length === 0) return [];
  const { rows } = await sql<ReviewedVulnerability>`select v.*, a.identifier, a.severity, a.summary
    from repositories r
    cross join unnest(${packages.map((one) => one.ecosystem)}::text[],
      ${packages.map((one) => one.package)}::text[]) as wanted(ecosystem, name)
    join advisory_vulnerabilities v on v.ecosystem = wanted.ecosystem and v.package = wanted.name
    join advisories a on a.id = v.advisory_id and a.withdrawn_at is null
    where r.id = ${repository} and ${counts} order by v.id limit ${fixedValue(alertLimits.ranges) + 1}`.execute(db);
  return rows;
};

export type KnownAlert = StoredAlert & { is_withdrawn: boolean };

/** All alerts of a repository, locked until the transaction ends. */
export const listKnownForUpdate = (tx: Tx, repository: Id<'repositories'>): Promise<KnownAlert[]> =>
  tx
    .selectFrom('dependency_alerts as a')
    .innerJoin('advisories as v', 'v.id', 'a.advisory_id')
    .selectAll('a')
    .select(sql<boolean>`v.withdrawn_at is not null`.as('is_withdrawn'))
    .where('a.repository_id', '=', repository)
    .orderBy('a.id')
    .forNoKeyUpdate('a')
    .execute();

/** The repositories that have alerts for these advisories. */
export const listAlerted = async (db: Db, identifiers: readonly string[]): Promise<Id<'repositories'>[]> =>
  (
    await db
      .selectFrom('dependency_alerts as a')
      .innerJoin('advisories as v', 'v.id', 'a.advisory_id')
      .select('a.repository_id')
      .distinct()
      .where('v.identifier', 'in', identifiers)
      .execute()
  ).map(({ repository_id }) => repository_id);
