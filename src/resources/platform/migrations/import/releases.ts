import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { Id } from '#lib/id.ts';
import type { ObjectStore } from '#objects/store.ts';
import { fixRef } from '#resources/code/pushes/index.ts';
import { insertReactionsOf, rollupOf } from '#resources/collaboration/reactions/index.ts';
import {
  insertImportedAssets,
  insertImportedReleases,
  keepObjects,
  newKey,
  tagRef,
} from '#resources/collaboration/releases/index.ts';
import type { ReleaseAssetRecord } from '../archive/said-format.ts';
import { idOf } from './accounts.ts';
import { type Context, eachPage, given, timeOf, timeOrNull } from './context.ts';
import { fileAt, hasReleases, type Pages } from './pages.ts';
import { refused } from './unpack.ts';

/** Inserts releases, with their files in the store of objects. An archive may have been made without them. */
export async function importReleases(context: Context): Promise<void> {
  const {
    scope: { tx },
    pages,
    accounts,
    repositories,
  } = context;
  if (!hasReleases(pages)) return;
  await keepObjects(tx);
  await eachPage(context, 'releases', async (page) => {
    const known = page.flatMap((one) => {
      const target = repositories.get(one.repository);
      return target ? [{ one, repository: target.row.id }] : [];
    });
    const ids = await insertImportedReleases(
      tx,
      known.map(({ one, repository }) => ({
        repository_id: repository,
        tag_name: one.tag_name,
        target_commitish: one.target_commitish,
        name: one.name,
        body: one.body,
        draft: one.state === 'draft',
        prerelease: one.prerelease,
        immutable: one.immutable,
        latest: one.latest,
        author_id: idOf(accounts, one.user),
        reactions: rollupOf(given(accounts, one.reactions)),
        created_at: timeOf(one.created_at),
        updated_at: timeOf(one.updated_at),
        published_at: timeOrNull(one.published_at),
      })),
    );
    for (const [at, { one, repository }] of known.entries()) {
      const id = ids[at];
      if (id === undefined) continue;
      if (one.immutable) await fixRef(tx, repository, tagRef(one.tag_name));
      await importAssets(context, { release: id, repository }, one.release_assets);
      const reactions = given(accounts, one.reactions).map((reaction) => ({ ...reaction, release_id: id }));
      await insertReactionsOf(tx, reactions);
    }
  });
}

type Target = { release: Id<'releases'>; repository: Id<'repositories'> };

async function importAssets(
  { scope: { tx }, pages, objects, accounts }: Context,
  { release, repository }: Target,
  assets: readonly ReleaseAssetRecord[],
): Promise<void> {
  const rows = [];
  for (const one of assets)
    rows.push({
      release_id: release,
      name: one.name,
      label: one.label,
      content_type: one.content_type,
      size: one.size,
      digest: one.digest,
      object_key: await storeFile(objects, pages, newKey(repository), one),
      uploader_id: idOf(accounts, one.user),
      download_count: one.download_count,
      created_at: timeOf(one.created_at),
      updated_at: timeOf(one.updated_at),
    });
  await insertImportedAssets(tx, rows);
}

const readSize = 256 * 1024;

/** Stores the bytes of a file. @throws Refusal where they aren't those of which the archive tells */
async function storeFile(
  objects: ObjectStore,
  { folder }: Pages,
  key: string,
  { url, asset_url, size, digest }: ReleaseAssetRecord,
): Promise<string> {
  const stored = await objects.put(key, async (sink) => {
    const parts: AsyncIterable<Buffer> = createReadStream(join(folder, fileAt(asset_url)), { highWaterMark: readSize });
    for await (const part of parts) await sink(part);
  });
  if (stored.size !== size) throw refused(`${url} has ${stored.size} bytes, and not ${size}`);
  if (stored.digest !== digest) throw refused(`${url} has other bytes than its digest tells of`);
  return key;
}
