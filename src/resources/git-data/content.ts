import type { Readable } from 'node:stream';
import { openBlob } from '#git/archive.ts';
import type { ObjectReader } from '#git/objects.ts';
import type { Oid } from '#git/oid.ts';
import type { Repo as Disk } from '#git/repo.ts';
import { Refusal } from '#lib/refusal.ts';

/** The largest content that is sent inside JSON, which takes several times its size of memory. */
export const mostInJson = 40 * 1024 * 1024;
/** The largest content that is sent at all, as in the public API. */
export const mostRaw = 100 * 1024 * 1024;

/** The refusal of a file that is too large. */
export const tooLarge = (most: number): Refusal =>
  new Refusal(
    'forbidden',
    `This API returns blobs up to ${most / 1024 / 1024} MB in size. The requested blob is too large to fetch via the API, but you can always clone the repository.`,
    [{ resource: 'Blob', field: 'data', code: 'too_large' }],
  );

/** Base64 in lines of sixty characters, as the public API writes it. */
export const base64Lines = (data: Buffer): string => data.toString('base64').replace(/.{1,60}/g, '$&\n');

const streamedFrom = 1024 * 1024;

/** A file's bytes: in memory if they are few, otherwise as a stream. */
export async function rawContent(
  disk: Disk,
  reader: ObjectReader,
  { oid, size }: { oid: Oid; size: number },
): Promise<Buffer | Readable> {
  if (size > mostRaw) throw tooLarge(mostRaw);
  return size > streamedFrom ? openBlob(disk, oid) : (await reader.get(oid, { type: 'blob' })).data;
}
