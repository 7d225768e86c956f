// What jobs upload. Bytes are in the object store before a row names them, and what is half there is never served: a whole is one
// object, which an artifact or a cache takes over.

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

/** What the bytes of an upload are received by: see `Upload.receive` of `endpoint/call.ts`. */
export type Receive = (most: { bytes: number; name: string }, take: (part: Buffer) => Promise<void>) => Promise<void>;

type UploadContext = { readonly db: Db; readonly objects: Services['objects'] };

/** What an upload has become: an object, its bytes, and their SHA-256 as `sha256:` and 64 digits. */
type Whole = Pick<BlockRow, 'object_key' | 'size' | 'digest'>;

const limits = uploadLimits;
const maxBlocks = fixedValue(limits.blocks);
const maxName = fixedValue(limits.blockName);

type NewUpload = {
  readonly job: Id<'workflow_jobs'>;
  /** The group of its objects in the object store. */
  readonly group: string;
  /** The bytes that are allowed, and the name of the limit that says so. */
  readonly most: { readonly bytes: number; readonly name: string };
  readonly now: Date;
};

/** Begins an upload of a job. */
export const beginUpload = (scope: WriteScope, { job, group, most, now }: NewUpload): Promise<UploadRow> =>
  insertUpload(scope.tx, { job_id: job, object_group: group, most_bytes: most.bytes, limit_name: most.name, created_at: now });

const newKey = ({ object_group }: UploadRow): string => `${object_group}/${randomBytes(16).toString('hex')}`;

/** Receives an object and has it kept by a row. Where that is refused, nothing of it stays. */
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

/** The bytes that an upload may still have. */
const leftOf = ({ most_bytes: bytes, limit_name: name }: UploadRow, used: number) => ({ bytes: Math.max(0, bytes - used), name });

const tooLarge = ({ most_bytes, limit_name }: UploadRow): Refusal =>
  new Refusal('too_large', `The upload is too large: ${most_bytes} bytes are allowed (${limit_name})`, [], { limit: limit_name });

/**
 * Receives a block. One of the same name takes the place of the former. @throws Refusal where there are too many, or too many
 * bytes
 */
export async function receiveBlock(context: UploadContext, upload: UploadRow, name: string, from: Receive): Promise<void> {
  if (name === '' || name.length > maxName) throw badRequest(`The name of a block must have 1 to ${maxName} characters`);
  const { bytes } = await sumBlocks(context.db, upload.id);
  const most = leftOf(upload, bytes);
  await receive(
    context,
    upload,
    (sink) => from(most, sink),
    async (tx, locked, block) => {
      // Its object may be a block's.
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

/** Receives all bytes of an upload at once. */
export const receiveWhole = (context: UploadContext, upload: UploadRow, from: Receive): Promise<void> =>
  receive(context, upload, (sink) => from(leftOf(upload, 0), sink), keepWhole);

/** Sets what an upload has become. @returns the object that it was before, which nothing needs any more */
async function keepWhole(tx: Tx, upload: UploadRow, whole: Whole): Promise<string | undefined> {
  await setWhole(tx, upload.id, whole);
  const { object_key: former } = upload;
  if (former === null || former === whole.object_key) return undefined;
  return (await listBlocks(tx, upload.id)).some(({ object_key }) => object_key === former) ? undefined : former;
}

/**
 * Joins blocks in the order given. A single one is the whole as it is; several become an object of their own.
 * @throws Refusal 400 for a block that isn't there
 */
export async function joinBlocks({ db, objects }: UploadContext, upload: UploadRow, names: readonly string[]): Promise<void> {
  const known = keyed(await listBlocks(db, upload.id), ({ name }) => name);
  const blocks = names.map((name) => {
    const block = known.get(name);
    if (!block) throw badRequest('The list names a block that is not there');
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
 * Gives away what an upload has become: the upload is gone then.
 * @param take writes the row that names the object from now on, in the place of the upload
 * @returns undefined where it isn't whole
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

/** Drops an upload with what has come of it. */
export async function dropUpload(scope: WriteScope, id: UploadRow['id']): Promise<void> {
  const upload = await findUploadForUpdate(scope.tx, id);
  const keys = (await listBlocks(scope.tx, id)).map(({ object_key }) => object_key);
  await removeUpload(scope.tx, id);
  const whole = upload?.object_key;
  await removeObjectsLater(scope, [...new Set(whole ? [...keys, whole] : keys)]);
}

/** Removes objects when the transaction is committed, by a job. */
export const removeObjectsLater = async (scope: WriteScope, keys: readonly string[]): Promise<void> => {
  if (keys.length > 0) await enqueue(scope.tx, { name: 'job-uploads.remove-objects', attempts: 25 }, { keys });
};
