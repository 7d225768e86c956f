// Releases as the objects of an archive, and their files.
import type { Db } from '#database/connect.ts';
import { path } from '#endpoint/links.ts';
import { chunks, gather, grouped } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import type { ObjectStore } from '#objects/store.ts';
import { loadReactions, type ReactionRow } from '#resources/collaboration/reactions/index.ts';
import {
  type AssetRow,
  firstRelease,
  listReleasesAfter,
  loadAssets,
  loadAssetsById,
  type ReleaseKey,
  type ReleaseRow,
} from '#resources/collaboration/releases/index.ts';
import { assetAddress, assetFile } from './format.ts';
import { batchesOf } from './pages.ts';
import { type Accounts, type ArchivedRepository, addressOrNull, reactionRecords } from './records.ts';
import type { ReleaseAssetRecord, ReleaseRecord } from './said-format.ts';
import type { People, Source } from './source.ts';
import type { TarWriter } from './tar-writer.ts';

/** The files of a repository's releases that an archive tells of: their bytes are to be added. */
export type NamedFiles = { archived: ArchivedRepository; ids: Id<'release_assets'>[] };

/** A release may have many files. */
const releasesPerPage = 20;

/** The releases of a repository with drafts. Their files are noted in `files`. */
export async function* releasesOf(
  { db, html }: Source,
  archived: ArchivedRepository,
  people: People,
  files: NamedFiles[],
): AsyncGenerator<readonly object[]> {
  const named: NamedFiles = { archived, ids: [] };
  files.push(named);
  const list = (after: ReleaseKey, limit: number) => listReleasesAfter(db, archived.row.id, after, limit);
  for await (const rows of batchesOf(firstRelease, list, ({ key }) => key, releasesPerPage)) {
    const ids = gather(rows, 'id');
    const assets = await loadAssets(db, ids);
    const reactions = await loadReactions(db, 'release_id', ids);
    const uploaders = gather([...assets.values()].flat(), 'uploader_id');
    const accounts = await people.load([...gather(rows, 'author_id'), ...gather(reactions, 'user_id'), ...uploaders]);
    const reactionsOf = grouped(reactions, ({ release_id }) => release_id);
    for (const own of assets.values()) named.ids.push(...gather(own, 'id'));
    yield rows.map((row) =>
      releaseRecord(html, archived, row, {
        assets: assets.get(row.id) ?? [],
        reactions: reactionsOf.get(row.id) ?? [],
        accounts,
      }),
    );
  }
}

type ReleaseParts = { assets: readonly AssetRow[]; reactions: readonly ReactionRow[]; accounts: Accounts };

/** Drafts may share the name of a tag. */
const wordOf = ({ id, tag_name, draft }: ReleaseRow): string => (draft ? `untagged-${id}` : tag_name);

const releaseRecord = (
  html: string,
  archived: ArchivedRepository,
  row: ReleaseRow,
  { assets, reactions, accounts }: ReleaseParts,
): ReleaseRecord => ({
  type: 'release',
  url: path(archived.url, 'releases', 'tag', wordOf(row)),
  repository: archived.url,
  user: addressOrNull(html, accounts, row.author_id),
  name: row.name,
  tag_name: row.tag_name,
  target_commitish: row.target_commitish,
  body: row.body,
  state: row.draft ? 'draft' : 'published',
  prerelease: row.prerelease,
  immutable: row.immutable,
  latest: row.latest,
  release_assets: assets.map((asset) => assetRecord(html, archived, row, asset, accounts)),
  reactions: reactionRecords(html, reactions, accounts),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
  published_at: timestampOrNull(row.published_at),
});

const assetRecord = (
  html: string,
  archived: ArchivedRepository,
  release: ReleaseRow,
  row: AssetRow,
  accounts: Accounts,
): ReleaseAssetRecord => ({
  type: 'release_asset',
  url: path(archived.url, 'releases', 'download', wordOf(release), row.name),
  user: addressOrNull(html, accounts, row.uploader_id),
  name: row.name,
  label: row.label,
  content_type: row.content_type,
  size: row.size,
  digest: row.digest,
  download_count: row.download_count,
  asset_url: assetAddress(archived.owner.login, archived.row.name, row.id),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
});

/** The files that an archive tells of aren't all there any more: it is to be written anew. */
export class FilesChanged extends Error {}

const filesPerBatch = 200;

/**
 * Adds the bytes of files of releases, after the moment that the JSON shows: no transaction waits for them.
 * @throws FilesChanged where one was deleted since
 */
export async function addFiles(
  tar: TarWriter,
  { db, objects }: { db: Db; objects: ObjectStore },
  files: readonly NamedFiles[],
): Promise<void> {
  for (const { archived, ids } of files)
    for (const some of chunks(ids, filesPerBatch)) {
      const rows = await loadAssetsById(db, some);
      for (const id of some) {
        const row = rows.get(id);
        const stream = row && (await objects.open(row.object_key));
        if (!row || !stream) throw await reasonOfAbsence(db, id);
        await tar.addStream(assetFile(archived.owner.login, archived.row.name, id), row.size, stream);
      }
    }
}

async function reasonOfAbsence(db: Db, id: Id<'release_assets'>): Promise<Error> {
  const isThere = (await loadAssetsById(db, [id])).size > 0;
  return isThere
    ? new Error(`The bytes of file ${id} of a release are not in the store of objects`)
    : new FilesChanged('A file of a release was deleted meanwhile');
}
