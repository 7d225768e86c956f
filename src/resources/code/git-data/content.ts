import type { Readable } from 'node:stream';
import { openBlob } from '#git/objects/archive.ts';
import type { ObjectReader } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitRepository } from '#git/repo.ts';
import { Refusal } from '#lib/refusal.ts';

/** The largest content that the API sends, in bytes (the public API's limit). */
export const maxRaw = 100 * 1024 * 1024;

/** The refusal of a file that is too large. */
export const tooLarge = (maxBytes: number): Refusal =>
  new Refusal(
    'forbidden',
    `This API returns blobs up to ${maxBytes / 1024 / 1024} MB in size. The requested blob is too large to fetch via ` +
      'the API, but you can always clone the repository.',
    [{ resource: 'Blob', field: 'data', code: 'too_large' }],
  );

/** Base64 in lines of sixty characters, as the public API writes it. */
export const base64Lines = (data: Buffer): string => data.toString('base64').replace(/.{1,60}/g, '$&\n');

/** Larger contents are streamed, since in memory they would take several times their size. */
export const maxBytesInMemory = 1024 * 1024;

/** Bytes that make a line of sixty characters. */
const lineBytes = 45;

/** Streams bytes as base64, in the lines of `base64Lines` with newlines escaped for JSON. */
export async function* base64Pieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let pending: Buffer = Buffer.alloc(0);
  const encode = (bytes: Buffer): string => base64Lines(bytes).replaceAll('\n', '\\n');
  for await (const chunk of chunks) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const whole = pending.length - (pending.length % lineBytes);
    yield encode(pending.subarray(0, whole));
    pending = pending.subarray(whole);
  }
  yield encode(pending);
}

/** A file's bytes: in memory if they are few, otherwise as a stream. */
export async function rawContent(
  gitRepository: GitRepository,
  reader: ObjectReader,
  { oid, size }: { oid: Oid; size: number },
): Promise<Buffer | Readable> {
  if (size > maxRaw) throw tooLarge(maxRaw);
  return size > maxBytesInMemory ? openBlob(gitRepository, oid) : (await reader.get(oid, { type: 'blob' })).data;
}
