import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { chunks } from '#lib/collections.ts';
import type { RepositoryId } from '#lib/id.ts';
import type { NamedPackage } from './package-urls.ts';
import type { Dependency, Ecosystem } from './parsers/dependency.ts';

export type GraphRow = Selectable<DB['dependency_graphs']>;
export type ManifestRow = Selectable<DB['dependency_manifests']>;

/** Repositories whose dependencies are needed, and weren't read by this version of the reader. */
export const listOutdated = async (db: Db, reader: number): Promise<RepositoryId[]> =>
  (
    await sql<{ id: RepositoryId }>`select r.id from repositories r where r.dependency_graph and not exists (
      select from dependency_graphs g where g.repository_id = r.id and g.reader = ${reader}) order by r.id`.execute(db)
  ).rows.map(({ id }) => id);

export const findGraph = (db: Db, repository: RepositoryId): Promise<GraphRow | undefined> =>
  db.selectFrom('dependency_graphs').selectAll().where('repository_id', '=', repository).executeTakeFirst();

/** Stores the latest graph, replacing the former one. */
export const replaceGraph = (tx: Tx, row: GraphRow) =>
  tx
    .insertInto('dependency_graphs')
    .values(row)
    .onConflict((clash) => clash.column('repository_id').doUpdateSet(row))
    .execute();

/** Removes the stored dependencies of these repositories. */
export async function removeGraphs(tx: Tx, repositories: readonly RepositoryId[]): Promise<void> {
  await tx.deleteFrom('dependency_graphs').where('repository_id', 'in', repositories).execute();
  await tx.deleteFrom('dependency_manifests').where('repository_id', 'in', repositories).execute();
  await tx.deleteFrom('dependency_snapshots').where('repository_id', 'in', repositories).execute();
}

type KnownManifest = ManifestRow & { count: number };

/** The files of a repository that were read, by path, each with the number of its dependencies. */
export const listManifests = async (db: Db, repository: RepositoryId): Promise<KnownManifest[]> =>
  (
    await sql<KnownManifest>`select m.*, (select count(*)::integer from dependencies d where d.manifest_id = m.id) as count
      from dependency_manifests m where m.repository_id = ${repository} and m.snapshot_id is null order by m.path`.execute(db)
  ).rows;

export const removeManifests = (tx: Tx, ids: readonly ManifestRow['id'][]) =>
  tx.deleteFrom('dependency_manifests').where('id', 'in', ids).execute();

/** The number of rows in one statement, since PostgreSQL limits the number of values. */
const rowsPerBatch = 5_000;

/** A stored dependency. Submitted ones may belong to any ecosystem. */
export type NewDependency = Omit<Dependency, 'ecosystem'> & { readonly ecosystem: string; readonly package_url?: string | null };

/** Stores a manifest with its dependencies. */
export async function insertManifest(
  tx: Tx,
  row: Omit<ManifestRow, 'id'>,
  dependencies: readonly NewDependency[],
): Promise<void> {
  const { id } = await tx.insertInto('dependency_manifests').values(row).returning('id').executeTakeFirstOrThrow();
  for (const some of chunks(dependencies, rowsPerBatch))
    await tx
      .insertInto('dependencies')
      .values(some.map((one) => ({ license: null, package_url: null, ...one, manifest_id: id })))
      .execute();
}

export type UsedPackage = NamedPackage & { license: string | null };

/** The packages that a repository depends on, each version once. */
export const listPackages = async (db: Db, repository: RepositoryId): Promise<UsedPackage[]> =>
  (
    await sql<UsedPackage>`select d.ecosystem, d.name, d.version, d.package_url, max(d.license) as license
      from dependencies d join current_dependency_manifests m on m.id = d.manifest_id where m.repository_id = ${repository}
      group by d.ecosystem, d.name, d.version, d.package_url order by d.ecosystem, d.name, d.version, d.package_url`.execute(db)
  ).rows;

/** The repositories that use one of these packages and have alerts enabled. */
export const listUsers = async (
  db: Db,
  packages: readonly { ecosystem: Ecosystem; package: string }[],
): Promise<RepositoryId[]> =>
  (
    await sql<{ id: RepositoryId }>`select distinct m.repository_id as id
      from unnest(${packages.map(({ ecosystem }) => ecosystem)}::text[],
        ${packages.map((one) => one.package)}::text[]) as wanted(ecosystem, name)
      join dependencies d on d.ecosystem = wanted.ecosystem and d.name = wanted.name
      join current_dependency_manifests m on m.id = d.manifest_id
      join repositories r on r.id = m.repository_id and r.vulnerability_alerts`.execute(db)
  ).rows.map(({ id }) => id);

/** The paths of a repository's manifests that couldn't be read completely. */
export const listUnreadPaths = async (db: Db, repository: RepositoryId): Promise<string[]> =>
  (
    await db
      .selectFrom('dependency_manifests')
      .select('path')
      .where('repository_id', '=', repository)
      .where('problem', 'is not', null)
      .execute()
  ).map(({ path }) => path);

export type SnapshotRow = Selectable<DB['dependency_snapshots']>;

/** Stores a snapshot, replacing the one that the same job of the same detector submitted for the ref. */
export async function replaceSnapshot(tx: Tx, row: Omit<SnapshotRow, 'id'>): Promise<SnapshotRow['id']> {
  await tx
    .deleteFrom('dependency_snapshots')
    .where('repository_id', '=', row.repository_id)
    .where('ref', '=', row.ref)
    .where('detector', '=', row.detector)
    .where('correlator', '=', row.correlator)
    .execute();
  return (await tx.insertInto('dependency_snapshots').values(row).returning('id').executeTakeFirstOrThrow()).id;
}

/** The number of snapshots of a repository's ref, and the number of their dependencies. */
export const countSubmitted = async (
  db: Db,
  repository: RepositoryId,
  ref: string,
): Promise<{ snapshots: number; dependencies: number }> => {
  const { rows } = await sql<{ snapshots: number; dependencies: number }>`
    select count(distinct s.id)::integer as snapshots, count(d.id)::integer as dependencies
    from dependency_snapshots s left join dependency_manifests m on m.snapshot_id = s.id
    left join dependencies d on d.manifest_id = m.id
    where s.repository_id = ${repository} and s.ref = ${ref}`.execute(db);
  return rows[0] ?? { snapshots: 0, dependencies: 0 };
};

/** Removes the oldest snapshots of all refs except one, beyond `limit`. */
export const removeOldSnapshots = (tx: Tx, repository: RepositoryId, { except, limit }: { except: string; limit: number }) =>
  sql`delete from dependency_snapshots where id in (select id from dependency_snapshots
    where repository_id = ${repository} and ref <> ${except} order by id desc offset ${limit})`.execute(tx);

/** The detectors whose snapshots count for a repository. */
export const listDetectors = async (
  db: Db,
  repository: RepositoryId,
): Promise<Pick<SnapshotRow, 'detector' | 'detector_version'>[]> =>
  (
    await sql<Pick<SnapshotRow, 'detector' | 'detector_version'>>`select distinct s.detector, s.detector_version
      from dependency_snapshots s join repositories r on r.id = s.repository_id and s.ref = 'refs/heads/' || r.default_branch
      where s.repository_id = ${repository} order by 1, 2`.execute(db)
  ).rows;

export type SubmittedDependency = NamedPackage & { path: string; scope: NewDependency['scope']; license: string | null };

/** The entries that one commit's snapshots have and another commit's lack, from the jobs that submitted snapshots for both. */
export const listSubmittedOnlyFor = async (
  db: Db,
  repository: RepositoryId,
  { commit, other, limit }: { commit: string; other: string; limit: number },
): Promise<SubmittedDependency[]> => {
  const submitted = (
    one: string,
    another: string,
  ) => sql`select m.path, d.ecosystem, d.name, d.version, d.package_url, d.scope, d.license
    from dependency_snapshots s join dependency_manifests m on m.snapshot_id = s.id join dependencies d on d.manifest_id = m.id
    where s.repository_id = ${repository} and s.commit_sha = ${one} and exists (select from dependency_snapshots o
      where o.repository_id = ${repository} and o.commit_sha = ${another} and o.detector = s.detector
        and o.correlator = s.correlator)`;
  const { rows } = await sql<SubmittedDependency>`${submitted(commit, other)} except ${submitted(other, commit)}
    order by 1, 2, 3, 4 limit ${limit}`.execute(db);
  return rows;
};
