// The files of releases: their bytes are in the store of objects, each under a key of its own.

import { randomBytes } from 'node:crypto';
import type { RepositoryAction } from '#access/action.ts';
import { change, type Db } from '#database/connect.ts';
import type { File, Upload } from '#endpoint/call.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { defined } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { invalid, orNotFound, unprocessable } from '#lib/refusal.ts';
import {
  type AssetOfRelease,
  type AssetRow,
  countAssets,
  countDownload,
  insertAsset,
  removeAsset,
  updateAsset,
} from './asset-store.ts';
import { releaseLimits } from './limits.ts';
import { immutableRefusal } from './rules.ts';
import type { AssetChange, AssetQuery } from './schemas.ts';
import type { ReleaseRow } from './store.ts';

const nameTaken = () => invalid('ReleaseAsset', 'name', 'already_exists');

/**
 * The name of a file as it is kept: other characters than letters, digits and `._+-@` become dots, as in the public API, and it
 * begins and ends with none.
 * @example safeName('my file (1).zip') // 'my.file.1.zip'
 */
export function safeName(name: string): string {
  const safe = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._+\-@]+/gu, '.')
    .replace(/\.{2,}/g, '.')
    .replace(/^\.|\.$/g, '');
  if (safe === '') throw invalid('ReleaseAsset', 'name', name === '' ? 'missing_field' : 'invalid');
  return safe;
}

/** Whether a text is a media type, with its parameters. */
export const isContentType = (text: string): boolean =>
  text.length <= 255 && /^[\w.+-]+\/[\w.+-]+\s*(;[\x20-\x7e]*)?$/.test(text);

/** A media type; what is none is taken for bytes. */
const contentTypeOf = (header: string | undefined): string =>
  header !== undefined && isContentType(header) ? header : 'application/octet-stream';

/** The key of a new object for a file of a repository's release. */
export const newKey = (repository: Id<'repositories'>): string => `${repository}/${randomBytes(16).toString('hex')}`;

type UploadContext = {
  db: Db;
  change: <T>(work: (scope: WriteScope, at: { release: ReleaseRow }) => Promise<T>) => Promise<T>;
  services: Pick<Services, 'objects' | 'resourceLimits'>;
};

/**
 * Receives a file of a release. It is on disk as a whole before its row is written, so that a file that is listed is complete;
 * what is cut off leaves nothing that is served.
 */
export async function uploadAsset(
  { db, change, services: { objects, resourceLimits } }: UploadContext,
  action: RepositoryAction,
  { release, query, upload }: { release: ReleaseRow; query: AssetQuery; upload: Upload },
): Promise<AssetRow> {
  const limits = resourceLimits.of(releaseLimits);
  const name = safeName(query.name);
  const check = async (reading: Db, { id, immutable }: ReleaseRow): Promise<void> => {
    if (immutable) throw immutableRefusal();
    const { total, clash } = await countAssets(reading, id, name);
    if (clash) throw nameTaken();
    if (total >= limits.assets) throw unprocessable(`A release can have at most ${limits.assets} assets (releases.assets)`);
  };
  await check(db, release);
  const key = newKey(action.repo.id);
  const most = { bytes: limits.assetSize, name: 'releases.assetSize' };
  const { size, digest } = await objects.put(key, (sink) => upload.receive(most, sink));
  try {
    if (size === 0) throw invalid('ReleaseAsset', 'size', 'custom', 'size must be greater than or equal to 1');
    return await change(async (scope, at) => {
      await check(scope.tx, at.release);
      const row = await insertAsset(scope.tx, {
        release_id: at.release.id,
        name,
        label: query.label || null,
        content_type: contentTypeOf(upload.contentType),
        size,
        digest,
        object_key: key,
        uploader_id: action.by.account.id,
        created_at: action.now,
        updated_at: action.now,
      });
      const data = { release: at.release.id, asset: row.id };
      await record(scope.tx, { ...inRepository(action), kind: 'release_asset.uploaded', data });
      return row;
    });
  } catch (error) {
    await objects.remove(key);
    throw error;
  }
}

/** Changes the name or the label of a file. */
export async function changeAsset(
  scope: WriteScope,
  action: RepositoryAction,
  asset: AssetOfRelease,
  wanted: AssetChange,
): Promise<AssetOfRelease> {
  if (asset.immutable) throw immutableRefusal();
  const name = wanted.name === undefined ? asset.name : safeName(wanted.name);
  if (name !== asset.name && (await countAssets(scope.tx, asset.release_id, name)).clash) throw nameTaken();
  const change = { name, ...defined({ label: wanted.label }), updated_at: action.now };
  await updateAsset(scope.tx, asset.id, change);
  const data = { release: asset.release_id, asset: asset.id };
  await record(scope.tx, { ...inRepository(action), kind: 'release_asset.changed', data });
  return { ...asset, ...change };
}

/** Deletes a file. Its object is to be removed afterwards. */
export async function deleteAsset(scope: WriteScope, action: RepositoryAction, asset: AssetOfRelease): Promise<void> {
  if (asset.immutable) throw immutableRefusal();
  await removeAsset(scope.tx, asset.id);
  const data = { release: asset.release_id, name: asset.name };
  await record(scope.tx, { ...inRepository(action), kind: 'release_asset.deleted', data });
}

/** A file as it is sent. A download that begins at its first byte is counted. */
export const fileOf = (db: Db, { objects }: Pick<Services, 'objects'>, asset: AssetRow): File => ({
  size: asset.size,
  etag: `"${asset.digest.replace('sha256:', '')}"`,
  modified: asset.created_at,
  async open(range) {
    const stream = orNotFound(await objects.open(asset.object_key, range));
    if ((range?.start ?? 0) === 0) await change(db, (tx) => countDownload(tx, asset.id));
    return stream;
  },
});
