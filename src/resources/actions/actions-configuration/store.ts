import { type SelectQueryBuilder, sql } from 'kysely';
import type { RepositoryRow } from '#access/viewer.ts';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { Holder } from '#resources/actions/encryption-keys/index.ts';
import { selectionIncludes, selectionMode } from '#resources/repositories/repository-selections/index.ts';
import { storedName } from './names.ts';
import { type AnyHolder, type Held, holderOfRow, lockHolder, ofHolder } from './owner.ts';
import type { Visibility } from './schemas.ts';

type Table = 'actions_secrets' | 'actions_variables';

const selectionOf = (table: Table) => sql.ref(`${table}.selection_id`);

/** The visibility of a row; null unless it belongs to an organization. */
export const visibilityOf = (table: Table) => sql<Visibility | null>`${selectionMode(selectionOf(table))}`;

/** Whether a repository may use a row of its organization. */
export const mayUse = (table: Table, repository: RepositoryRow['id']) => selectionIncludes(selectionOf(table), repository);

/** The statements that read the rows that `rows` selects. Secrets and variables share them. */
export const readsOf = <Of extends Table, Row extends Held & { readonly id: number }>(
  table: Of,
  rows: (db: Db) => SelectQueryBuilder<DB, Of, Row>,
) => ({
  /** The rows of an owner, by name. */
  list: (db: Db, holder: Holder, page: Page): Promise<Listed<Row>> =>
    list(db, rows(db).where(ofHolder(holder)).orderBy(sql`name`), page),

  /** The rows of its organization that a repository may use, by name. */
  listUsable: (db: Db, { id, owner_id }: Pick<RepositoryRow, 'id' | 'owner_id'>, page: Page): Promise<Listed<Row>> => {
    const ofOwner = rows(db).where(ofHolder({ column: 'organization_id', id: owner_id }));
    return list(db, ofOwner.where(mayUse(table, id)).orderBy(sql`name`), page);
  },

  /** A row of an owner by its name, regardless of case. */
  select: (db: Db, holder: AnyHolder, name: string): SelectQueryBuilder<DB, Of, Row> =>
    rows(db)
      .where(ofHolder(holder))
      .where(sql<boolean>`name = ${storedName(name)}`),

  /** Reads the row again, and locks it against changes until the transaction ends; undefined if it was deleted. */
  async findForUpdate(tx: Tx, row: Row): Promise<Row | undefined> {
    await lockHolder(tx, holderOfRow(row));
    return rows(tx).where(sql<boolean>`id = ${row.id}`).executeTakeFirst();
  },
});
