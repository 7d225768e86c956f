import { openObjects } from '#git/objects.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { maxFileSize, textOf } from './document.ts';
import type { CodeHit } from './hits.ts';

const filesAtOnce = 200;
const bytesAtOnce = 2 * 1024 * 1024;

/** Files in portions that are read in a moment, so that a look at the clock between them comes in time. */
export function* portionsOf<File extends Pick<CodeHit, 'size'>>(files: readonly File[]): Generator<File[]> {
  let portion: File[] = [];
  let bytes = 0;
  for (const file of files) {
    if (portion.length > 0 && (portion.length === filesAtOnce || bytes + file.size > bytesAtOnce)) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(file);
    bytes += file.size;
  }
  if (portion.length > 0) yield portion;
}

type Blob = Pick<CodeHit, 'repositoryId' | 'blobOid'>;

/** The texts of files, read from Git: those of one repository together. What is gone by now is missing. */
export async function readTexts(git: GitStore, files: readonly Blob[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const groups = Map.groupBy(files, ({ repositoryId }) => repositoryId);
  await Promise.all(
    [...groups].map(async ([repositoryId, blobs]) => {
      await using reader = await openObjects(repoOf(git, repositoryId));
      const oids = [...new Set(blobs.map(({ blobOid }) => blobOid))];
      for await (const read of reader.readMany(oids, { maxSize: maxFileSize })) {
        if ('object' in read) texts.set(read.oid, textOf(read.object.data));
      }
    }),
  );
  return texts;
}
