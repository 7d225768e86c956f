// Objects in a bucket of a server that supports S3: `<prefix>/<group>/<name>`, with the same names as in a folder.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { Refusal } from '#lib/refusal.ts';
import type { Outbound } from '#net/outbound.ts';
import { OutboundError } from '#net/target.ts';
import { requestHandler, type Times } from './request-handler.ts';
import { type ByteRange, checkKey, type ObjectStore, partial, type StoredFile } from './store.ts';

type Library = typeof import('@aws-sdk/client-s3');

export type BucketOptions = {
  readonly bucket: string;
  /** Without a trailing slash. */
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly pathStyle: boolean;
  readonly credentials: Exclude<S3ClientConfig['credentials'], undefined>;
  readonly outbound: Outbound;
  /** Milliseconds for which the result of a check is cached. Omitted: 10 s. */
  readonly checkEvery?: number | undefined;
  /** Called for the log when the server failed, refused or didn't respond. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
} & Times;

/**
 * The number of bytes in a part of a large object. S3 allows 10,000 parts, so an object may have 80 GB. The next part is received
 * while one is sent, so an upload holds two parts in memory.
 */
const partSize = 8 * 1024 * 1024;
const attempts = 3;
const defaultCheckEvery = 10_000;

/** The shared state of this file's functions. The library is loaded on the first call. */
type Bucket = {
  readonly s3: Library;
  readonly client: S3Client;
  readonly Bucket: string;
  keyOf(key: string): string;
  /** The reply of the server. @throws Refusal 503 if the server is unreachable, doesn't respond, or refuses the bucket */
  answered<Reply>(reply: Promise<Reply>): Promise<Reply>;
};

/** Opens an object store in an existing bucket. It sends nothing yet. */
export function openBucket(options: BucketOptions): ObjectStore {
  let opened: Promise<Bucket> | undefined;
  const bucket = (): Promise<Bucket> => {
    opened ??= connect(options);
    return opened;
  };
  return {
    check: remembered(async () => checkBucket(await bucket()), options.checkEvery ?? defaultCheckEvery),
    put: async (key, send) => put(await bucket(), key, send),
    open: async (key, range) => open(await bucket(), key, range),
    async remove(key) {
      checkKey(key);
      const at = await bucket();
      const cutOff = key.endsWith(partial) ? key.slice(0, -partial.length) : undefined;
      if (cutOff !== undefined) await abortUploads(at, cutOff, (named) => named === at.keyOf(cutOff));
      else await removeObject(at, at.keyOf(key));
    },
    async removeGroup(group) {
      checkKey(`${group}/x`);
      const at = await bucket();
      await abortUploads(at, `${group}/`);
      for await (const objects of listObjects(at, `${group}/`)) for (const { key } of objects) await removeObject(at, key);
    },
    async *list() {
      const at = await bucket();
      const prefix = at.keyOf('');
      for await (const objects of listObjects(at, '')) yield objects.flatMap((object) => storedFile(object, prefix));
      for await (const uploads of listUploads(at, '')) {
        const batch: StoredFile[] = [];
        for (const upload of uploads) {
          const key = `${upload.key}${partial}`;
          batch.push(...storedFile({ key, modified: (await lastPartOf(at, upload)) ?? upload.modified }, prefix));
        }
        yield batch;
      }
    },
  };
}

/** Runs some work at most once within a period, and returns its result to all callers in that period. */
function remembered(work: () => Promise<void>, ms: number): () => Promise<void> {
  let last: { result: Promise<void>; at: number } | undefined;
  return () => {
    const now = performance.now();
    if (last && now - last.at < ms) return last.result;
    const result = work();
    last = { result, at: now };
    return result;
  };
}

async function connect(options: BucketOptions): Promise<Bucket> {
  const { bucket, prefix, endpoint, region, pathStyle, credentials, outbound, onFailure } = options;
  const s3 = await import('@aws-sdk/client-s3');
  const client = new s3.S3Client({
    region,
    credentials,
    ...(endpoint === undefined ? {} : { endpoint }),
    forcePathStyle: pathStyle,
    requestHandler: requestHandler(outbound, options),
    maxAttempts: attempts,
    retryMode: 'standard',
    defaultsMode: 'standard',
    // Each part is signed with its SHA-256, which every server checks. Not every server supports the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
  });
  return {
    s3,
    client,
    Bucket: bucket,
    keyOf: (key) => (prefix === '' ? key : `${prefix}/${key}`),
    async answered(reply) {
      try {
        return await reply;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        onFailure?.(error);
        throw new Refusal('unavailable', 'The store of files does not answer. Please try again later.', [], { cause: error });
      }
    },
  };
}

type Sent = { size: number; digest: string };

/** Stores an object: in one request if it is small, otherwise in parts, which become an object when all are stored. */
async function put(at: Bucket, key: string, send: Parameters<ObjectStore['put']>[1]): Promise<Sent> {
  checkKey(key);
  const { s3, client, Bucket, answered } = at;
  const named = { Bucket, Key: at.keyOf(key) };
  const hash = createHash('sha256');
  let size = 0;
  let held: Buffer[] = [];
  let heldSize = 0;
  let upload: Upload | undefined;
  const sendPart = async (): Promise<void> => {
    const part = Buffer.concat(held, heldSize);
    [held, heldSize] = [[], 0];
    upload ??= await beginUpload(at, named);
    await upload.add(part);
  };
  try {
    await send(async (bytes) => {
      hash.update(bytes);
      size += bytes.length;
      // The caller may reuse its buffer.
      held.push(Buffer.from(bytes));
      heldSize += bytes.length;
      if (heldSize >= partSize) await sendPart();
    });
    if (upload === undefined)
      await answered(client.send(new s3.PutObjectCommand({ ...named, Body: Buffer.concat(held, heldSize) })));
    else {
      if (heldSize > 0) await sendPart();
      await upload.complete();
    }
  } catch (error) {
    const aborted = upload?.abort();
    // The abort on an unresponsive server isn't awaited.
    if (!hasTimedOut(error)) await aborted;
    throw error;
  }
  return { size, digest: `sha256:${hash.digest('hex')}` };
}

type Upload = {
  /** Sends a part after the previous one is stored, and resolves when sending begins. */
  add(part: Buffer): Promise<void>;
  complete(): Promise<void>;
  /** Removes the sent parts. If that fails, `list` shows the remains. */
  abort(): Promise<void>;
};

async function beginUpload({ s3, client, answered }: Bucket, named: { Bucket: string; Key: string }): Promise<Upload> {
  const { UploadId } = await answered(client.send(new s3.CreateMultipartUploadCommand(named)));
  const target = { ...named, UploadId };
  const parts: { PartNumber: number; ETag: string | undefined }[] = [];
  let sending: Promise<void> = Promise.resolve();
  return {
    async add(Body) {
      await sending;
      const PartNumber = parts.length + 1;
      sending = answered(client.send(new s3.UploadPartCommand({ ...target, PartNumber, Body }))).then(({ ETag }) => {
        parts.push({ PartNumber, ETag });
      });
      // The next call that waits reports the failure.
      sending.catch(() => undefined);
    },
    async complete() {
      await sending;
      await answered(client.send(new s3.CompleteMultipartUploadCommand({ ...target, MultipartUpload: { Parts: parts } })));
    },
    async abort() {
      await sending.catch(() => undefined);
      await client.send(new s3.AbortMultipartUploadCommand(target)).catch(() => undefined);
    },
  };
}

async function open(
  { s3, client, Bucket, keyOf, answered }: Bucket,
  key: string,
  range?: ByteRange,
): Promise<Readable | undefined> {
  checkKey(key);
  const part = range ? { Range: `bytes=${range.start}-${range.end}` } : {};
  try {
    const { Body } = await answered(client.send(new s3.GetObjectCommand({ Bucket, Key: keyOf(key), ...part })));
    if (!(Body instanceof Readable)) throw new Error('the store of objects has sent no stream');
    return Body;
  } catch (error) {
    if (error instanceof s3.NoSuchKey) return undefined;
    throw error;
  }
}

/** Lists one object, so that a refusing server gives a reason. For a HEAD request on the bucket, it gives none. */
const checkBucket = async ({ s3, client, Bucket, keyOf, answered }: Bucket): Promise<void> => {
  await answered(client.send(new s3.ListObjectsV2Command({ Bucket, Prefix: keyOf(''), MaxKeys: 1 })));
};

const removeObject = async ({ s3, client, Bucket, answered }: Bucket, Key: string): Promise<void> => {
  await answered(client.send(new s3.DeleteObjectCommand({ Bucket, Key })));
};

/** A listed object: its full name in the bucket, and its time. */
type Listed = { readonly key: string; readonly modified: Date };

async function* listObjects({ s3, client, Bucket, keyOf, answered }: Bucket, below: string): AsyncGenerator<Listed[]> {
  let after: string | undefined;
  do {
    const from = after === undefined ? {} : { ContinuationToken: after };
    const reply = await answered(client.send(new s3.ListObjectsV2Command({ Bucket, Prefix: keyOf(below), ...from })));
    yield (reply.Contents ?? []).flatMap(({ Key, LastModified }) =>
      Key && LastModified ? { key: Key, modified: LastModified } : [],
    );
    after = reply.IsTruncated ? reply.NextContinuationToken : undefined;
  } while (after !== undefined);
}

type UnfinishedUpload = Listed & { readonly id: string };

/** Uploads in parts that were started and neither completed nor aborted. */
async function* listUploads({ s3, client, Bucket, keyOf, answered }: Bucket, below: string): AsyncGenerator<UnfinishedUpload[]> {
  let after: { KeyMarker: string; UploadIdMarker: string } | undefined;
  do {
    const reply = await answered(client.send(new s3.ListMultipartUploadsCommand({ Bucket, Prefix: keyOf(below), ...after })));
    yield (reply.Uploads ?? []).flatMap(({ Key, UploadId, Initiated }) =>
      Key && UploadId && Initiated ? { key: Key, id: UploadId, modified: Initiated } : [],
    );
    const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = reply;
    after = IsTruncated && KeyMarker && UploadIdMarker ? { KeyMarker, UploadIdMarker } : undefined;
  } while (after);
}

async function abortUploads(at: Bucket, below: string, isMeant: (key: string) => boolean = () => true): Promise<void> {
  const { s3, client, Bucket, answered } = at;
  for await (const uploads of listUploads(at, below))
    for (const { key: Key, id: UploadId } of uploads.filter(({ key }) => isMeant(key)))
      await answered(client.send(new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId }))).catch((error) => {
        if (!(error instanceof s3.NoSuchUpload)) throw error;
      });
}

/** When the last part of an upload arrived; undefined if there are no parts. */
async function lastPartOf({ s3, client, Bucket, answered }: Bucket, { key, id }: UnfinishedUpload): Promise<Date | undefined> {
  const reply = await answered(client.send(new s3.ListPartsCommand({ Bucket, Key: key, UploadId: id }))).catch((error) => {
    if (error instanceof s3.NoSuchUpload) return undefined;
    throw error;
  });
  const times = (reply?.Parts ?? []).flatMap(({ LastModified }) => LastModified?.getTime() ?? []);
  return times.length === 0 ? undefined : new Date(Math.max(...times));
}

/** A file by its full name in the bucket; none if it doesn't belong to this store. */
function storedFile({ key, modified }: Listed, prefix: string): StoredFile[] {
  const [group = '', name = '', ...more] = key.slice(prefix.length).split('/');
  return key.startsWith(prefix) && group !== '' && name !== '' && more.length === 0 ? [{ group, name, modified }] : [];
}

const hasTimedOut = (error: unknown): boolean =>
  error instanceof Refusal && error.cause instanceof OutboundError && error.cause.kind === 'timeout';

/**
 * Whether the store is unavailable: its server fails, or refuses the bucket or the key. That happens if the bucket was deleted or
 * is in another region, or the credentials have expired.
 */
const isUnavailable = (error: unknown): boolean =>
  error instanceof OutboundError ||
  (error instanceof Error && '$fault' in error && (error.$fault === 'server' || isRefusal(error)));

const refusalStatuses: ReadonlySet<unknown> = new Set([301, 307, 401, 403]);

const isRefusal = (error: Error & { $metadata?: { httpStatusCode?: number } }): boolean =>
  error.name === 'NoSuchBucket' || refusalStatuses.has(error.$metadata?.httpStatusCode);
