// A server for the part of S3 that the object store needs. It checks signatures (SigV4) and the signed bytes, and stores objects
// in a folder.
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectSettings } from '#objects/open.ts';
import { atEndOfFile } from './end-of-file.ts';

const bucket = 'files';
const region = 'eu-test-1';
const accessKeyId = 'AKIDTEST';
const secretAccessKey = 'a secret/of+the=tests';
/** As in S3, only the last part may be smaller. */
const smallestPart = 5 * 1024 * 1024;
/** Lower than S3's, so that tests have several pages. */
const pageSize = 3;

/** A server error's status; `hang`: no reply at all. */
type Failure = number | 'hang' | 'AccessDenied';

/** A running server, with inspection for tests. */
export type S3Server = {
  /** The settings for it, with the prefix `hearth/test`. */
  readonly settings: ObjectSettings & { readonly at: { bucket: string; prefix: string } };
  /** The names of all objects, in order. */
  keys(): Promise<string[]>;
  /** The names of multipart uploads that are neither completed nor aborted. */
  uploads(): Promise<string[]>;
  /** Replaces an object's bytes, or removes it. */
  replace(key: string, bytes: Buffer | undefined): Promise<void>;
  /** Sets the time of all objects, and of all parts of unfinished uploads. */
  age(at: Date): Promise<void>;
  /** Replies to the next matching requests with this failure, the given number of times. */
  fail(isMeant: (method: string, url: string) => boolean, how: Failure, times: number): void;
  /** Reads the bodies of requests in steps of 64 KiB, with a wait after each step. */
  slow(wait: (() => Promise<unknown>) | undefined): void;
  /** The number of requests that have failed in this way. */
  readonly failures: () => number;
  /** The answered requests, such as `PUT` and `GET`, each with the first name in its query. */
  readonly requests: string[];
};

/** Starts the server, which is closed at the end of the test file. */
export async function s3Server(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-s3-'));
  const [objects, uploads] = [join(folder, 'objects'), join(folder, 'uploads')];
  for (const path of [objects, uploads]) await mkdir(path);
  const requests: string[] = [];
  let failing: { isMeant: (method: string, url: string) => boolean; how: Failure; times: number } | undefined;
  let failures = 0;
  let waitForMore: (() => Promise<unknown>) | undefined;
  const server = http.createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    try {
      if (failing && failing.times > 0 && failing.isMeant(method, url)) {
        failing.times--;
        failures++;
        request.resume();
        const { how } = failing;
        if (how === 'hang') return;
        throw how === 'AccessDenied' ? new S3Error(403, how) : new S3Error(how, 'InternalError');
      }
      const body = await readBody(request, waitForMore);
      await answer({ objects, uploads }, { request, body }, response);
      requests.push(`${method} ${[...new URL(url, 'http://s3').searchParams.keys()].sort()[0] ?? ''}`.trim());
    } catch (error) {
      const { status, code } = error instanceof S3Error ? error : new S3Error(500, String(error));
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEndOfFile(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    settings: { at: { bucket, prefix: 'hearth/test' }, endpoint, region, accessKeyId, secretAccessKey },
    keys: async () => (await readdir(objects)).map(decodeURIComponent).sort(),
    uploads: async () => (await listUploads(uploads)).map(({ key }) => key).sort(),
    async replace(key, bytes) {
      const file = join(objects, encodeURIComponent(key));
      await (bytes ? writeFile(file, bytes) : rm(file));
    },
    async age(at) {
      for (const root of [objects, uploads])
        for (const name of await readdir(root, { recursive: true })) await utimes(join(root, name), at, at);
    },
    fail(isMeant, how, times) {
      failing = { isMeant, how, times };
      failures = 0;
    },
    slow(wait) {
      waitForMore = wait;
    },
    failures: () => failures,
    requests,
  };
}

class S3Error extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

type Folders = { objects: string; uploads: string };

async function readBody(request: IncomingMessage, wait?: () => Promise<unknown>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) {
    parts.push(part);
    if (wait) await wait();
  }
  return Buffer.concat(parts);
}

type Received = { request: IncomingMessage; body: Buffer };

async function answer({ objects, uploads }: Folders, { request, body }: Received, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '', 'http://s3');
  checkSignature(request, url, body);
  const [, named, ...rest] = url.pathname.split('/');
  if (named !== bucket) throw new S3Error(404, 'NoSuchBucket');
  const key = decodeURIComponent(rest.join('/'));
  const query = url.searchParams;
  const id = query.get('uploadId');
  const file = join(objects, encodeURIComponent(key));
  const xml = (text: string): void => {
    response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0" encoding="UTF-8"?>${text}`);
  };
  if (key === '') return query.has('uploads') ? listUploadsOf(uploads, query, xml) : listObjectsOf(objects, query, xml);
  const upload = id === null ? undefined : join(uploads, id);
  if (upload !== undefined && !(await stat(upload).catch(() => undefined))) throw new S3Error(404, 'NoSuchUpload');
  switch (`${request.method} ${upload === undefined ? '' : 'upload'}`.trim()) {
    case 'POST':
      return beginUpload(uploads, key, xml);
    case 'PUT upload':
      await writeFile(join(upload ?? '', String(query.get('partNumber')).padStart(5, '0')), body);
      response.writeHead(200, { etag: etagOf(body) }).end();
      return;
    case 'GET upload':
      return xml(`<ListPartsResult>${(await listParts(upload ?? '')).map(partXml).join('')}</ListPartsResult>`);
    case 'POST upload':
      await completeUpload(upload ?? '', file, body.toString());
      return xml('<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>');
    case 'DELETE upload':
      await rm(upload ?? '', { recursive: true });
      response.writeHead(204).end();
      return;
    case 'PUT':
      await writeFile(file, body);
      response.writeHead(200, { etag: etagOf(body) }).end();
      return;
    case 'DELETE':
      await rm(file, { force: true });
      response.writeHead(204).end();
      return;
    case 'GET':
      return sendObject(file, request.headers.range, response);
    default:
      throw new S3Error(405, 'MethodNotAllowed');
  }
}

async function sendObject(file: string, range: string | undefined, response: ServerResponse): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (!found) throw new S3Error(404, 'NoSuchKey');
  const [, from = '', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  if (range !== undefined && (from === '' || Number(from) >= found.size)) throw new S3Error(416, 'InvalidRange');
  const part =
    range === undefined ? { start: 0, end: found.size - 1 } : { start: Number(from), end: Math.min(Number(to), found.size - 1) };
  response.writeHead(range === undefined ? 200 : 206, {
    'content-length': part.end - part.start + 1,
    ...(range === undefined ? {} : { 'content-range': `bytes ${part.start}-${part.end}/${found.size}` }),
  });
  createReadStream(file, part).pipe(response);
}

async function listObjectsOf(objects: string, query: URLSearchParams, xml: (text: string) => void): Promise<void> {
  const after = query.get('continuation-token') ?? '';
  const keys = (await readdir(objects)).map(decodeURIComponent).filter((key) => key.startsWith(query.get('prefix') ?? ''));
  const rest = keys.sort().filter((key) => key > after);
  const page = rest.slice(0, pageSize);
  const items: string[] = [];
  for (const key of page) {
    const found = await stat(join(objects, encodeURIComponent(key))).catch(() => undefined);
    if (found) items.push(`<Contents><Key>${key}</Key><LastModified>${found.mtime.toISOString()}</LastModified></Contents>`);
  }
  const next = rest.length > pageSize ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  xml(`<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${items.join('')}${next}</ListBucketResult>`);
}

async function beginUpload(uploads: string, key: string, xml: (text: string) => void): Promise<void> {
  const id = randomUUID();
  const making = join(uploads, `.${id}`);
  await mkdir(making);
  await writeFile(join(making, 'key'), key);
  await rename(making, join(uploads, id));
  xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
}

async function listUploads(uploads: string): Promise<{ id: string; key: string; at: Date }[]> {
  const found: { id: string; key: string; at: Date }[] = [];
  for (const id of (await readdir(uploads)).filter((name) => !name.startsWith('.'))) {
    const file = join(uploads, id, 'key');
    const key = await readFile(file, 'utf8').catch(() => undefined);
    if (key !== undefined) found.push({ id, key, at: (await stat(file)).mtime });
  }
  return found.sort((one, other) => (one.key + one.id < other.key + other.id ? -1 : 1));
}

async function listUploadsOf(uploads: string, query: URLSearchParams, xml: (text: string) => void): Promise<void> {
  const after = (query.get('key-marker') ?? '') + (query.get('upload-id-marker') ?? '');
  const all = (await listUploads(uploads)).filter(({ key }) => key.startsWith(query.get('prefix') ?? ''));
  const rest = all.filter(({ key, id }) => key + id > after);
  const page = rest.slice(0, pageSize);
  const items = page.map(
    ({ key, id, at }) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${at.toISOString()}</Initiated></Upload>`,
  );
  const last = page.at(-1);
  const next =
    rest.length > pageSize && last
      ? `<NextKeyMarker>${last.key}</NextKeyMarker><NextUploadIdMarker>${last.id}</NextUploadIdMarker>`
      : '';
  xml(
    `<ListMultipartUploadsResult><IsTruncated>${next !== ''}</IsTruncated>${items.join('')}${next}</ListMultipartUploadsResult>`,
  );
}

type Part = { number: number; etag: string; at: Date; bytes: Buffer };

async function listParts(upload: string): Promise<Part[]> {
  const parts: Part[] = [];
  for (const name of (await readdir(upload)).filter((part) => part !== 'key').sort()) {
    const bytes = await readFile(join(upload, name));
    parts.push({ number: Number(name), etag: etagOf(bytes), at: (await stat(join(upload, name))).mtime, bytes });
  }
  return parts;
}

const partXml = ({ number, etag, at }: Part): string =>
  `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag><LastModified>${at.toISOString()}</LastModified></Part>`;

/** Makes an object from the parts that the client lists, which must match the stored ones. */
async function completeUpload(upload: string, file: string, wanted: string): Promise<void> {
  const parts = await listParts(upload);
  const named = [...wanted.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    etag: /<ETag>(.*?)</.exec(part)?.[1]?.replaceAll('&quot;', '"'),
  }));
  const isSame =
    named.length === parts.length &&
    parts.every(({ number, etag }, at) => named[at]?.number === number && named[at]?.etag === etag);
  if (!isSame) throw new S3Error(400, 'InvalidPart');
  if (parts.slice(0, -1).some(({ bytes }) => bytes.length < smallestPart)) throw new S3Error(400, 'EntityTooSmall');
  await writeFile(file, Buffer.concat(parts.map(({ bytes }) => bytes)));
  await rm(upload, { recursive: true });
}

const etagOf = (bytes: Buffer): string => `"${createHash('md5').update(bytes).digest('hex')}"`;
const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** Checks the signature of a request, and that it matches these bytes (AWS Signature Version 4). */
function checkSignature({ method = '', headers }: IncomingMessage, url: URL, body: Buffer): void {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([\da-f]{64})$/;
  const [, keyId, day = '', place = '', names = '', signature = ''] = pattern.exec(headers.authorization ?? '') ?? [];
  if (keyId !== accessKeyId || place !== region) throw new S3Error(403, 'InvalidAccessKeyId');
  const time = String(headers['x-amz-date']);
  if (!time.startsWith(day) || !names.split(';').includes('host')) throw new S3Error(403, 'AccessDenied');
  const payload = String(headers['x-amz-content-sha256']);
  if (payload !== sha256(body)) throw new S3Error(400, 'XAmzContentSHA256Mismatch');
  const query = [...url.searchParams].map(([name, value]) => `${escaped(name)}=${escaped(value)}`).sort();
  const canonical = [
    method,
    url.pathname,
    query.join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    payload,
  ].join('\n');
  const scope = `${day}/${place}/s3/aws4_request`;
  const key = hmac(hmac(hmac(hmac(`AWS4${secretAccessKey}`, day), place), 's3'), 'aws4_request');
  const right = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n'));
  if (!timingSafeEqual(right, Buffer.from(signature, 'hex'))) throw new S3Error(403, 'SignatureDoesNotMatch');
}
