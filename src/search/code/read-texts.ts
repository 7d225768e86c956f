import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { openObjects } from '#git/objects/objects.ts';
import type { GitStore, Repo } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { textOf } from './document.ts';
import type { CodeHit } from './hits.ts';

const filesPerBatch = 200;
const bytesPerBatch = 2 * 1024 * 1024;

type SizedBlob = Pick<CodeHit, 'repositoryId' | 'blobOid' | 'size'>;
type Texts = Map<string, string>;

/** Some files, and their texts by their blobs; no text where it is gone from Git by now, or wasn't asked for. */
export type Portion<F extends SizedBlob> = { files: F[]; texts: Texts };

/**
 * Files in portions that are read in a moment, so that a look at the clock between them comes in time. The next one is read
 * while one is looked at.
 */
export const readPortions = <F extends SizedBlob>(
  git: GitStore,
  files: readonly F[],
  { file }: { file: boolean },
): AsyncIterable<Portion<F>> => Readable.from(portions(git, files, file), { highWaterMark: 1 });

async function* portions<F extends SizedBlob>(git: GitStore, files: readonly F[], isRead: boolean): AsyncGenerator<Portion<F>> {
  for (const some of portionsOf(files)) yield { files: some, texts: isRead ? await readTexts(git, some) : new Map() };
}

function* portionsOf<F extends SizedBlob>(files: readonly F[]): Generator<F[]> {
  let portion: F[] = [];
  let bytes = 0;
  for (const file of files) {
    if (portion.length > 0 && (portion.length === filesPerBatch || bytes + file.size > bytesPerBatch)) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(file);
    bytes += file.size;
  }
  if (portion.length > 0) yield portion;
}

/** Characters of texts that are kept, so that the next page and the text matches of a search needn't read them again. */
const charactersKept = 64 * 1024 * 1024;
const lately = new WeakMap<GitStore, LRUCache<string, string>>();

async function readTexts(git: GitStore, files: readonly SizedBlob[]): Promise<Texts> {
  const kept = keptOf(git);
  const texts: Texts = new Map();
  const unread: SizedBlob[] = [];
  for (const file of files) {
    const text = kept.get(file.blobOid);
    if (text === undefined) unread.push(file);
    else texts.set(file.blobOid, text);
  }
  const groups = Map.groupBy(unread, ({ repositoryId }) => repositoryId);
  const reads = await Promise.all([...groups].map(([repositoryId, blobs]) => readFrom(repoOf(git, repositoryId), blobs)));
  for (const [oid, text] of reads.flat()) {
    kept.set(oid, text);
    texts.set(oid, text);
  }
  return texts;
}

async function readFrom(repo: Repo, blobs: readonly SizedBlob[]): Promise<[oid: string, text: string][]> {
  await using reader = await openObjects(repo);
  const objects = await reader.readSmall([...new Set(blobs.map(({ blobOid }) => blobOid))]);
  return objects.map(({ oid, data }) => [oid, textOf(data)]);
}

function keptOf(git: GitStore): LRUCache<string, string> {
  const kept = lately.get(git) ?? new LRUCache({ maxSize: charactersKept, sizeCalculation: (text) => Math.max(1, text.length) });
  lately.set(git, kept);
  return kept;
}
