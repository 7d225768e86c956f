// Uploads of jobs. Bytes are in the object store before a row refers to them, and incomplete uploads are never served. A
// complete upload is one object, which then becomes an artifact or a cache.

import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { change, type Db, type Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import { enqueue } from '#jobs/job.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { badRequest, conflict, orNotFound, Refusal } from '#lib/refusal.ts';
import { uploadLimits } from './limits.ts';
import {
  type BlockRow,
  findBlock,
  findUploadForUpdate,
  insertUpload,
  listBlocks,
  putBlock,
  removeUpload,
  setWhole,
  sumBlocks,
  type UploadRow,
} from './store.ts';

/** Receives the bytes of an upload: see `Upload.receive` of `endpoint/call.ts`. */
export type Receive = (most: { bytes: number; name: string }, take: (part: Buffer) => Promise<void>) => Promise<void>;

type UploadContext = { readonly db: Db; readonly objects: Services['objects'] };

/** A complete upload: its object, its size, and its SHA-256 as `sha256:` and 64 digits. */
type Whole = Pick<BlockRow, 'object_key' | 'size' | 'digest'>;

const limits = uploadLimits;
const maxBlocks = fixedValue(limits.blocks);
const maxName = fixedValue(limits.blockName);

type NewUpload = {
  readonly job: Id<'workflow_jobs'>;
  /** The group of the upload's objects in the object store. */
  readonly group: string;
  /** The maximum number of bytes, and the name of the limit that sets it. */
  readonly most: { readonly bytes: number; readonly name: string };
  readonly now: Date;
};

export const beginUpload = (scope: WriteScope, { job, group, most, now }: NewUpload): Promise<UploadRow> =>
  insertUpload(scope.tx, { job_id: job, object_group: group, most_bytes: most.bytes, limit_name: most.name, created_at: now });

const newKey = ({ object_group }: UploadRow): string => `${object_group}/${randomBytes(16).toString('hex')}`;

/** Receives an object and lets a callback write its row. If that fails, the object is removed. */
async function receive(
  { db, objects }: UploadContext,
  upload: UploadRow,
  send: (sink: (part: Buffer) => Promise<void>) => Promise<void>,
  keep: (tx: Tx, upload: UploadRow, whole: Whole) => Promise<string | undefined>,
): Promise<void> {
  const object_key = newKey(upload);
  const { size, digest } = await objects.put(object_key, send);
  let former: string | undefined;
  try {
    former = await change(db, async (tx) => {
      const locked = orNotFound(await findUploadForUpdate(tx, upload.id));
      return keep(tx, locked, { object_key, size, digest });
    });
  } catch (error) {
    await objects.remove(object_key);
    throw error;
  }
  if (former !== undefined) await objects.remove(former);
}

/** The bytes that an upload may still receive. */
const leftOf = ({ most_bytes: bytes, limit_name: name }: UploadRow, used: number) => ({ bytes: Math.max(0, bytes - used), name });

const tooLarge = ({ most_bytes, limit_name }: UploadRow): Refusal =>
  new Refusal('too_large', `The upload is too large: ${most_bytes} bytes are allowed (${limit_name})`, [], { limit: limit_name });

/**
 * Receives a block. It replaces an earlier block with the same name.
 * @throws Refusal if there are too many blocks or bytes
 */
export async function receiveBlock(context: UploadContext, upload: UploadRow, name: string, from: Receive): Promise<void> {
  if (name === '' || name.length > maxName || name.includes('\0'))
    throw badRequest(`The name of a block must have 1 to ${maxName} characters, and not U+0000`);
  const { bytes } = await sumBlocks(context.db, upload.id);
  const most = leftOf(upload, bytes);
  await receive(
    context,
    upload,
    (sink) => from(most, sink),
    async (tx, locked, block) => {
      // The object of a complete upload may be a block's object.
      if (locked.object_key !== null) throw conflict('The upload is complete');
      const former = await findBlock(tx, locked.id, name);
      await putBlock(tx, { upload_id: locked.id, name, ...block });
      const sum = await sumBlocks(tx, locked.id);
      if (sum.bytes > locked.most_bytes) throw tooLarge(locked);
      if (sum.total > maxBlocks) throw badRequest(`An upload can have at most ${maxBlocks} blocks (results.blocks)`);
      return former?.object_key;
    },
  );
}

/** Receives all bytes of an upload in one request. */
export const receiveWhole = (context: UploadContext, upload: UploadRow, from: Receive): Promise<void> =>
  receive(context, upload, (sink) => from(leftOf(upload, 0), sink), keepWhole);

/**
 * Stores the object of a complete upload.
 * @returns the former object, which is no longer needed
 */
async function keepWhole(tx: Tx, upload: UploadRow, whole: Whole): Promise<string | undefined> {
  await setWhole(tx, upload.id, whole);
  const { object_key: former } = upload;
  if (former === null || former === whole.object_key) return undefined;
  return (await listBlocks(tx, upload.id)).some(({ object_key }) => object_key === former) ? undefined : former;
}

/**
 * Joins blocks in the given order. A single block is used as it is; several are copied into a new object.
 * @throws Refusal 400 for a block that doesn't exist
 */
export async function joinBlocks({ db, objects }: UploadContext, upload: UploadRow, names: readonly string[]): Promise<void> {
  const known = keyed(await listBlocks(db, upload.id), ({ name }) => name);
  const blocks = names.map((name) => {
    const block = known.get(name);
    if (!block) throw badRequest('The list names a block that does not exist');
    return block;
  });
  const [first, second] = blocks;
  if (first && !second) {
    const { object_key, size, digest } = first;
    const former = await change(db, async (tx) =>
      keepWhole(tx, orNotFound(await findUploadForUpdate(tx, upload.id)), { object_key, size, digest }),
    );
    if (former !== undefined) await objects.remove(former);
    return;
  }
  if (blocks.reduce((bytes, { size }) => bytes + size, 0) > upload.most_bytes) throw tooLarge(upload);
  const join = async (sink: (part: Buffer) => Promise<void>): Promise<void> => {
    for (const { object_key } of blocks) {
      const stream: Readable | undefined = await objects.open(object_key);
      if (!stream) throw conflict('A block was changed meanwhile');
      for await (const part of stream) await sink(part);
    }
  };
  await receive({ db, objects }, upload, join, keepWhole);
}

/**
 * Hands over the object of a complete upload, and deletes the upload.
 * @param take writes the row that refers to the object from now on
 * @returns undefined if the upload isn't complete
 */
export async function takeUpload(
  scope: WriteScope,
  id: UploadRow['id'],
  take: (whole: Whole) => Promise<void>,
): Promise<Whole | undefined> {
  const upload = await findUploadForUpdate(scope.tx, id);
  if (!upload || upload.object_key === null || upload.size === null || upload.digest === null) return undefined;
  const { object_key, size, digest } = upload;
  const blocks = await listBlocks(scope.tx, id);
  await take({ object_key, size, digest });
  await removeUpload(scope.tx, id);
  await removeObjectsLater(
    scope,
    blocks.map((block) => block.object_key).filter((key) => key !== object_key),
  );
  return { object_key, size, digest };
}

/** Drops an upload with the bytes received so far. */
export async function dropUpload(scope: WriteScope, id: UploadRow['id']): Promise<void> {
  const upload = await findUploadForUpdate(scope.tx, id);
  const keys = (await listBlocks(scope.tx, id)).map(({ object_key }) => object_key);
  await removeUpload(scope.tx, id);
  const whole = upload?.object_key;
  await removeObjectsLater(scope, [...new Set(whole ? [...keys, whole] : keys)]);
}

/** Enqueues a job that removes objects after the transaction is committed. */
export const removeObjectsLater = async (scope: WriteScope, keys: readonly string[]): Promise<void> => {
  if (keys.length > 0) await enqueue(scope.tx, { name: 'job-uploads.remove-objects', attempts: 25 }, { keys });
};
