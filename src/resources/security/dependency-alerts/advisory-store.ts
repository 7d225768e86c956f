import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import { grouped } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Ecosystem } from '#resources/security/dependency-graph/index.ts';

export type AdvisoryRow = Selectable<DB['advisories']>;
export type VulnerabilityRow = Selectable<DB['advisory_vulnerabilities']>;
export type FileRow = Selectable<DB['advisory_files']>;
export type NewAdvisory = Omit<AdvisoryRow, 'id'>;
export type NewVulnerability = Omit<VulnerabilityRow, 'id' | 'advisory_id'>;
type Package = { ecosystem: Ecosystem; package: string };

/** All files that were read, by path. */
export const listFiles = (db: Db): Promise<FileRow[]> => db.selectFrom('advisory_files').selectAll().execute();

/** Stores the current state of a file. */
export const replaceFiles = (tx: Tx, rows: readonly Insertable<DB['advisory_files']>[]) =>
  tx
    .insertInto('advisory_files')
    .values(rows)
    .onConflict((clash) =>
      clash.column('path').doUpdateSet(({ ref }) => ({
        size: ref('excluded.size'),
        modified_at: ref('excluded.modified_at'),
        identifier: ref('excluded.identifier'),
        problem: ref('excluded.problem'),
      })),
    )
    .execute();

/** Removes the records of files, and of files about the same advisories, so that they are read again. Returns the identifiers. */
export async function removeFiles(tx: Tx, paths: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ identifier: string | null }>`delete from advisory_files where path = any (${[...paths]}::text[])
    or identifier in (select identifier from advisory_files where path = any (${[...paths]}::text[]))
    returning identifier`.execute(tx);
  return rows.flatMap(({ identifier }) => identifier ?? []);
}

/** The given identifiers that are a file's own id. Other files don't replace these advisories. */
export const listOwned = async (db: Db, identifiers: readonly string[]): Promise<string[]> =>
  (
    await sql<{ identifier: string }>`select distinct identifier from advisory_files
      where identifier = any (${[...identifiers]}::text[]) and path ~ ('(^|/)' || identifier || '\.json$')`.execute(db)
  ).rows.map(({ identifier }) => identifier);

/** Inserts or replaces an advisory. */
export async function replaceAdvisory(
  tx: Tx,
  row: NewAdvisory,
  vulnerabilities: readonly NewVulnerability[],
): Promise<AdvisoryRow['id']> {
  const { id } = await tx
    .insertInto('advisories')
    .values(row)
    .onConflict((clash) => clash.column('identifier').doUpdateSet(row))
    .returning('id')
    .executeTakeFirstOrThrow();
  await tx.deleteFrom('advisory_vulnerabilities').where('advisory_id', '=', id).execute();
  if (vulnerabilities.length > 0)
    await tx
      .insertInto('advisory_vulnerabilities')
      .values(vulnerabilities.map((one) => ({ ...one, advisory_id: id })))
      .execute();
  return id;
}

/** Withdraws advisories that aren't withdrawn yet. */
export const withdrawAdvisories = (tx: Tx, identifiers: readonly string[], now: Date) =>
  tx
    .updateTable('advisories')
    .set({ withdrawn_at: now, updated_at: now })
    .where('identifier', 'in', identifiers)
    .where('withdrawn_at', 'is', null)
    .execute();

/** The packages that advisories affect. */
export const listPackagesOf = (db: Db, identifiers: readonly string[]): Promise<Package[]> =>
  db
    .selectFrom('advisory_vulnerabilities as v')
    .innerJoin('advisories as a', 'a.id', 'v.advisory_id')
    .select(['v.ecosystem', 'v.package'])
    .distinct()
    .where('a.identifier', 'in', identifiers)
    .execute();

export const loadAdvisories = async (
  db: Db,
  ids: readonly Id<'advisories'>[],
): Promise<ReadonlyMap<Id<'advisories'>, AdvisoryRow>> => {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('advisories').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
};

/** The vulnerabilities of some advisories, by the advisory. */
export const loadVulnerabilities = async (
  db: Db,
  ids: readonly Id<'advisories'>[],
): Promise<ReadonlyMap<Id<'advisories'>, VulnerabilityRow[]>> => {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('advisory_vulnerabilities')
    .selectAll()
    .where('advisory_id', 'in', ids)
    .orderBy('id')
    .execute();
  return grouped(rows, ({ advisory_id }) => advisory_id);
};
