import type { Insertable, Selectable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { AnalysedProduct, ScannedLanguage } from '#resources/repositories/repository-security/index.ts';

type Stored = Selectable<DB['default_setups']>;
/** A configured setup. `languages` is null if it analyses the languages of the default branch. */
export type SetupRow = Omit<Stored, 'languages'> & { readonly languages: readonly ScannedLanguage[] | null };

// `rules.ts` wrote the languages.
const setups = (db: Db) => db.selectFrom('default_setups').selectAll().$castTo<SetupRow>();

export const findSetup = (db: Db, repository: Id<'repositories'>, product: AnalysedProduct): Promise<SetupRow | undefined> =>
  setups(db).where('repository_id', '=', repository).where('product', '=', product).executeTakeFirst();

/** The setups of these repositories. */
export const listSetupsOf = (db: Db, repositories: readonly Id<'repositories'>[]): Promise<SetupRow[]> =>
  setups(db).where('repository_id', 'in', repositories).orderBy('repository_id').orderBy('product').execute();

type NewSetup = Omit<Insertable<DB['default_setups']>, 'languages'> & Pick<SetupRow, 'languages'>;

/** Adds a setup, or replaces the one that the repository has. */
export async function putSetup(tx: Tx, row: NewSetup): Promise<void> {
  const { repository_id: _repository, product: _product, created_at: _created, ...change } = row;
  const values = { ...row, languages: row.languages && [...row.languages] };
  await tx
    .insertInto('default_setups')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['repository_id', 'product']).doUpdateSet({ ...change, languages: values.languages }),
    )
    .execute();
}

export const removeSetup = (tx: Tx, { repository_id, product }: Pick<SetupRow, 'repository_id' | 'product'>) =>
  tx.deleteFrom('default_setups').where('repository_id', '=', repository_id).where('product', '=', product).execute();

/** The setups whose weekly analysis is due, the longest waiting first. */
export const listDueSetups = (db: Db, { until, limit }: { until: Date; limit: number }): Promise<SetupRow[]> =>
  setups(db).where('next_run_at', '<=', until).orderBy('next_run_at').orderBy('repository_id').limit(limit).execute();

/** Moves a setup to its next weekly time. @returns false if another process has already done so, and runs it */
export async function passDue(tx: Tx, { repository_id, product, next_run_at }: SetupRow, next: Date): Promise<boolean> {
  const passed = await tx
    .updateTable('default_setups')
    .set({ next_run_at: next })
    .where('repository_id', '=', repository_id)
    .where('product', '=', product)
    .where('next_run_at', '=', next_run_at)
    .returning('product')
    .execute();
  return passed.length > 0;
}
