import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Db, Tx } from '#database/connect.ts';
import { list } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import { grouped, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { Listed, Page } from '#lib/page.ts';
import type { ReleaseRow, ReleaseVisibility } from './store.ts';

export type AssetRow = Selectable<DB['release_assets']>;
/** A file with what its address and its changes need of its release. */
export type AssetOfRelease = AssetRow & Pick<ReleaseRow, 'tag_name' | 'draft' | 'immutable'>;

/** The files of a release, in the order in which they came. */
export const listAssets = (db: Db, release: Id<'releases'>, page: Page): Promise<Listed<AssetRow>> =>
  list(db, db.selectFrom('release_assets').selectAll().where('release_id', '=', release).orderBy('id'), page);

/** The files of many releases, by release. */
export async function loadAssets(db: Db, releases: Iterable<Id<'releases'>>): Promise<Map<Id<'releases'>, AssetRow[]>> {
  const wanted = unique(releases);
  if (wanted.length === 0) return new Map();
  const rows = await db.selectFrom('release_assets').selectAll().where('release_id', 'in', wanted).orderBy('id').execute();
  return grouped(rows, (row) => row.release_id);
}

const ofRepository = (db: Db, repository: Id<'repositories'>, { drafts }: ReleaseVisibility) => {
  const query = db
    .selectFrom('release_assets')
    .innerJoin('releases', 'releases.id', 'release_assets.release_id')
    .selectAll('release_assets')
    .select(['releases.tag_name', 'releases.draft', 'releases.immutable'])
    .where('releases.repository_id', '=', repository);
  return drafts ? query : query.where('releases.draft', '=', false);
};

export const findAsset = (
  db: Db,
  repository: Id<'repositories'>,
  id: Id<'release_assets'>,
  visibility: ReleaseVisibility,
): Promise<AssetOfRelease | undefined> =>
  ofRepository(db, repository, visibility).where('release_assets.id', '=', id).executeTakeFirst();

/** A file by its name in the published release of a tag, or in a draft. */
export function findAssetNamed(
  db: Db,
  repository: Id<'repositories'>,
  name: string,
  release: { readonly tag: string } | { readonly draft: Id<'releases'> },
): Promise<AssetOfRelease | undefined> {
  const named = ofRepository(db, repository, { drafts: true }).where('release_assets.name', '=', name);
  const found =
    'tag' in release
      ? named.where('releases.tag_name', '=', release.tag).where('releases.draft', '=', false)
      : named.where('releases.id', '=', release.draft).where('releases.draft', '=', true);
  return found.executeTakeFirst();
}

/** The same file again, its row locked, and that of its release; undefined when it was deleted. */
export const findAssetForUpdate = (tx: Tx, { id }: Pick<AssetRow, 'id'>): Promise<AssetOfRelease | undefined> =>
  tx
    .selectFrom('release_assets')
    .innerJoin('releases', 'releases.id', 'release_assets.release_id')
    .selectAll('release_assets')
    .select(['releases.tag_name', 'releases.draft', 'releases.immutable'])
    .where('release_assets.id', '=', id)
    .forUpdate()
    .executeTakeFirst();

/** The number of files of a release, and whether one of them has a name. */
export async function countAssets(db: Db, release: Id<'releases'>, name: string): Promise<{ total: number; clash: boolean }> {
  const row = await db
    .selectFrom('release_assets')
    .select(({ fn, eb, lit }) => [
      fn.countAll<number>().as('total'),
      fn.coalesce(fn.agg<boolean>('bool_or', [eb('name', '=', name)]), lit(false)).as('clash'),
    ])
    .where('release_id', '=', release)
    .executeTakeFirstOrThrow();
  return row;
}

export const insertAsset = (tx: Tx, row: Insertable<DB['release_assets']>): Promise<AssetRow> =>
  tx.insertInto('release_assets').values(row).returningAll().executeTakeFirstOrThrow();

export const updateAsset = (tx: Tx, id: Id<'release_assets'>, change: Updateable<DB['release_assets']>) =>
  tx.updateTable('release_assets').set(change).where('id', '=', id).execute();

export const removeAsset = (tx: Tx, id: Id<'release_assets'>) => tx.deleteFrom('release_assets').where('id', '=', id).execute();

/** Which of these objects belong to files. */
export async function loadKnownKeys(db: Db, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const rows = await db
    .selectFrom('release_assets')
    .select('object_key')
    .where('object_key', 'in', [...keys])
    .execute();
  return new Set(rows.map(({ object_key }) => object_key));
}

/** Counts a download. */
export const countDownload = (tx: Tx, id: Id<'release_assets'>) =>
  tx
    .updateTable('release_assets')
    .set(({ eb }) => ({ download_count: eb('download_count', '+', 1) }))
    .where('id', '=', id)
    .execute();
