import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { chunks } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Dependency, Ecosystem } from './parsers/dependency.ts';

type Repository = Id<'repositories'>;
export type GraphRow = Selectable<DB['dependency_graphs']>;
export type ManifestRow = Selectable<DB['dependency_manifests']>;

/** Of these repositories, those whose dependencies are read. */
export const listRead = async (db: Db, ids: readonly Repository[]): Promise<Repository[]> =>
  (
    await db
      .selectFrom('repositories')
      .select('id')
      .where(sql<boolean>`id = any (${[...ids]}::bigint[])`)
      .where('dependency_graph', '=', true)
      .execute()
  ).map(({ id }) => id);

/** Repositories whose dependencies are wanted, and weren't read by this version of the reader. */
export const listOutdated = async (db: Db, reader: number): Promise<Repository[]> =>
  (
    await sql<{ id: Repository }>`select r.id from repositories r where r.dependency_graph and not exists (
      select from dependency_graphs g where g.repository_id = r.id and g.reader = ${reader}) order by r.id`.execute(db)
  ).rows.map(({ id }) => id);

export const findGraph = (db: Db, repository: Repository): Promise<GraphRow | undefined> =>
  db.selectFrom('dependency_graphs').selectAll().where('repository_id', '=', repository).executeTakeFirst();

/** Stores what was read last, in the place of what was read before. */
export const replaceGraph = (tx: Tx, row: GraphRow) =>
  tx
    .insertInto('dependency_graphs')
    .values(row)
    .onConflict((clash) => clash.column('repository_id').doUpdateSet(row))
    .execute();

/** Forgets what these repositories depend on. */
export async function removeGraphs(tx: Tx, repositories: readonly Repository[]): Promise<void> {
  await tx.deleteFrom('dependency_graphs').where('repository_id', 'in', repositories).execute();
  await tx.deleteFrom('dependency_manifests').where('repository_id', 'in', repositories).execute();
}

type KnownManifest = ManifestRow & { count: number };

/** The manifests of a repository, by their paths, each with the number of its dependencies. */
export const listManifests = async (db: Db, repository: Repository): Promise<KnownManifest[]> =>
  (
    await sql<KnownManifest>`select m.*, (select count(*)::integer from dependencies d where d.manifest_id = m.id) as count
      from dependency_manifests m where m.repository_id = ${repository} order by m.path`.execute(db)
  ).rows;

export const removeManifests = (tx: Tx, ids: readonly ManifestRow['id'][]) =>
  tx.deleteFrom('dependency_manifests').where('id', 'in', ids).execute();

/** Rows of one statement, whose values PostgreSQL counts. */
const rowsAtOnce = 5_000;

/** Stores a manifest with its dependencies. */
export async function insertManifest(tx: Tx, row: Omit<ManifestRow, 'id'>, dependencies: readonly Dependency[]): Promise<void> {
  const { id } = await tx.insertInto('dependency_manifests').values(row).returning('id').executeTakeFirstOrThrow();
  for (const some of chunks(dependencies, rowsAtOnce))
    await tx
      .insertInto('dependencies')
      .values(some.map((one) => ({ ...one, manifest_id: id })))
      .execute();
}

export type UsedPackage = { ecosystem: Ecosystem; name: string; version: string | null; is_direct: boolean };

/** The packages that a repository depends on, each version once. */
export const listPackages = async (db: Db, repository: Repository): Promise<UsedPackage[]> =>
  (
    await sql<UsedPackage>`select d.ecosystem, d.name, d.version, bool_or(d.relationship = 'direct') as is_direct
      from dependencies d join dependency_manifests m on m.id = d.manifest_id where m.repository_id = ${repository}
      group by d.ecosystem, d.name, d.version order by d.ecosystem, d.name, d.version`.execute(db)
  ).rows;

/** The repositories that use one of these packages, and are to be told of advisories. */
export const listUsers = async (db: Db, packages: readonly { ecosystem: Ecosystem; package: string }[]): Promise<Repository[]> =>
  (
    await sql<{ id: Repository }>`select distinct m.repository_id as id
      from unnest(${packages.map(({ ecosystem }) => ecosystem)}::text[], ${packages.map((one) => one.package)}::text[]) as wanted(ecosystem, name)
      join dependencies d on d.ecosystem = wanted.ecosystem and d.name = wanted.name
      join dependency_manifests m on m.id = d.manifest_id
      join repositories r on r.id = m.repository_id and r.vulnerability_alerts`.execute(db)
  ).rows.map(({ id }) => id);

/** The paths of manifests of a repository of which something couldn't be read. */
export const listUnreadPaths = async (db: Db, repository: Repository): Promise<string[]> =>
  (
    await db
      .selectFrom('dependency_manifests')
      .select('path')
      .where('repository_id', '=', repository)
      .where('problem', 'is not', null)
      .execute()
  ).map(({ path }) => path);
