import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { openObjects } from '#git/objects/objects.ts';
import type { GitRepository, GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { textOf } from './document.ts';
import type { CodeHit } from './hits.ts';

const filesPerBatch = 200;
const bytesPerBatch = 2 * 1024 * 1024;

type SizedBlob = Pick<CodeHit, 'repositoryId' | 'blobOid' | 'size'>;
type Texts = Map<string, string>;

/** A batch of files, and their texts by blob. A text is missing if its blob no longer exists, or if no texts were requested. */
type FileBatch<F extends SizedBlob> = { files: F[]; texts: Texts };

/** Reads files in small batches, so that the time budget is checked often. The next batch is read while one is processed. */
export const readBatches = <F extends SizedBlob>(
  git: GitStore,
  files: readonly F[],
  { file }: { file: boolean },
): AsyncIterable<FileBatch<F>> => Readable.from(loadBatches(git, files, file), { highWaterMark: 1 });

async function* loadBatches<F extends SizedBlob>(
  git: GitStore,
  files: readonly F[],
  isRead: boolean,
): AsyncGenerator<FileBatch<F>> {
  for (const some of splitIntoBatches(files)) yield { files: some, texts: isRead ? await readTexts(git, some) : new Map() };
}

function* splitIntoBatches<F extends SizedBlob>(files: readonly F[]): Generator<F[]> {
  let batch: F[] = [];
  let bytes = 0;
  for (const file of files) {
    if (batch.length > 0 && (batch.length === filesPerBatch || bytes + file.size > bytesPerBatch)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += file.size;
  }
  if (batch.length > 0) yield batch;
}

/** The maximum number of characters of cached texts. The next page and the text matches of a search use the cache. */
const maxCachedCharacters = 64 * 1024 * 1024;
const caches = new WeakMap<GitStore, LRUCache<string, string>>();

async function readTexts(git: GitStore, files: readonly SizedBlob[]): Promise<Texts> {
  const cache = cacheOf(git);
  const texts: Texts = new Map();
  const unread: SizedBlob[] = [];
  for (const file of files) {
    const text = cache.get(file.blobOid);
    if (text === undefined) unread.push(file);
    else texts.set(file.blobOid, text);
  }
  const groups = Map.groupBy(unread, ({ repositoryId }) => repositoryId);
  const reads = await Promise.all([...groups].map(([repositoryId, blobs]) => readFrom(repoOf(git, repositoryId), blobs)));
  for (const [oid, text] of reads.flat()) {
    cache.set(oid, text);
    texts.set(oid, text);
  }
  return texts;
}

async function readFrom(repo: GitRepository, blobs: readonly SizedBlob[]): Promise<[oid: string, text: string][]> {
  await using reader = await openObjects(repo);
  const objects = await reader.readSmall([...new Set(blobs.map(({ blobOid }) => blobOid))]);
  return objects.map(({ oid, data }) => [oid, textOf(data)]);
}

function cacheOf(git: GitStore): LRUCache<string, string> {
  const cache =
    caches.get(git) ?? new LRUCache({ maxSize: maxCachedCharacters, sizeCalculation: (text) => Math.max(1, text.length) });
  caches.set(git, cache);
  return cache;
}
