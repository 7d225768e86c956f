// The addresses for uploads and downloads. Uploads use the part of Azure's blob protocol that the clients need: Put Blob, Put
// Block and Put Block List. Downloads are files, which clients may request in parts in Azure's way.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ownedCaller } from '#access/rate-limits.ts';
import type { File } from '#endpoint/call.ts';
import type { Caller } from '#lib/caller.ts';
import { asId, type RepositoryId } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { badRequest, notFound, orNotFound } from '#lib/refusal.ts';
import { fileOf, findArtifact, headersOf, isExpired } from '#resources/actions/artifacts/index.ts';
import { fileOfCache, findCache } from '#resources/actions/caches/index.ts';
import {
  blobPath,
  findOpenUpload,
  joinBlocks,
  opensBlob,
  type Purpose,
  type Receive,
  receiveBlock,
  receiveWhole,
  uploadLimits,
} from '#resources/actions/job-uploads/index.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import type { Exchange, ResultsParts } from './parts.ts';

type Blob = { Params: { id: string }; Querystring: Readonly<Record<string, string | string[] | undefined>> };
type Request = FastifyRequest<Blob>;

export function addBlobs(app: FastifyInstance, parts: ResultsParts): void {
  app.put<Blob>(`${blobPath}/uploads/:id`, (request, reply) => upload(parts, request, reply));
  app.get<Blob>(`${blobPath}/artifacts/:id`, (request, reply) => sendArtifact(parts, request, reply));
  app.get<Blob>(`${blobPath}/caches/:id`, (request, reply) => sendCache(parts, request, reply));
}

/** The id in an address, opened with its key. @throws Refusal 404 for any other address */
function idOf({ services: { secrets }, clock }: ResultsParts, purpose: Purpose, { params, query }: Request): number {
  const id = /^\d{1,15}$/.test(params.id) ? Number(params.id) : 0;
  const { sig: key } = query;
  if (typeof key !== 'string' || !opensBlob({ secrets, now: clock() }, purpose, { id, key })) throw notFound();
  return id;
}

async function upload(parts: ResultsParts, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const { db } = parts.database;
  const { objects } = parts.services;
  const row = orNotFound(await findOpenUpload(db, asId(idOf(parts, 'upload', request))));
  const exchange = admitted({ request, reply }, ownedCaller(`job:${row.job_id}`, row.owner_id));
  const receive: Receive = (most, take) => parts.receive(exchange, exchange.caller, most, take);
  const { comp, blockid } = request.query;
  if (comp === 'block') await receiveBlock({ db, objects }, row, typeof blockid === 'string' ? blockid : '', receive);
  else if (comp === 'blocklist') await joinBlocks({ db, objects }, row, await readBlockList(receive));
  else if (comp === undefined) await receiveWhole({ db, objects }, row, receive);
  else throw badRequest('comp must be block or blocklist, or be left out');
  return reply.code(201).send();
}

/** Records the sender, for the log and for limits. */
function admitted(exchange: Exchange, caller: Caller): Exchange & { readonly caller: Caller } {
  exchange.request.caller = caller;
  return { ...exchange, caller };
}

const maxList = { bytes: fixedValue(uploadLimits.blockList), name: 'results.blockList' };
const maxBlocks = fixedValue(uploadLimits.blocks);

const closing = '</BlockList>';

/** The content of a list's element. @throws Refusal 400 if it is missing */
function blocksIn(xml: string): string {
  const { 0: tag, 1: slash, index } = /<BlockList\s*(\/?)>/.exec(xml) ?? { 0: '', 1: '', index: -1 };
  const rest = xml.slice(index + tag.length).trimEnd();
  if (index >= 0 && slash === '/' && rest === '') return '';
  if (index >= 0 && slash === '' && rest.endsWith(closing)) return rest.slice(0, -closing.length);
  throw badRequest('The body must be a list of blocks');
}

/** The block names in a list such as `<BlockList><Latest>name</Latest>…</BlockList>`. They are in base64. */
async function readBlockList(receive: Receive): Promise<string[]> {
  const received: Buffer[] = [];
  await receive(maxList, async (part) => void received.push(Buffer.from(part)));
  const xml = Buffer.concat(received).toString();
  const names = [...blocksIn(xml).matchAll(/<(Latest|Uncommitted|Committed)>([A-Za-z0-9+/=]*)<\/\1>/g)].map(
    ([, , name = '']) => name,
  );
  if (names.length > maxBlocks) throw badRequest(`An upload can have at most ${maxBlocks} blocks (results.blocks)`);
  return names;
}

async function sendArtifact(parts: ResultsParts, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const artifact = orNotFound(await findArtifact(parts.database.db, asId(idOf(parts, 'artifact', request))));
  if (isExpired(artifact, parts.clock())) throw notFound();
  reply.headers(headersOf(artifact));
  return sendBlob(parts, { request, reply }, artifact.repository_id, fileOf(parts.services, artifact));
}

async function sendCache(parts: ResultsParts, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const cache = orNotFound(await findCache(parts.database.db, asId(idOf(parts, 'cache', request))));
  reply.headers({ 'content-type': 'application/octet-stream', 'cache-control': 'private, no-store' });
  return sendBlob(parts, { request, reply }, cache.repository_id, fileOfCache(parts.services, cache));
}

async function sendBlob(parts: ResultsParts, exchange: Exchange, repository: RepositoryId, file: File): Promise<FastifyReply> {
  const { owner_id } = orNotFound(await findRepository(parts.database.db, repository));
  const { request, caller } = admitted(exchange, ownedCaller(`repository:${repository}`, owner_id));
  takeRange(request);
  await parts.send(exchange, caller, file);
  return exchange.reply;
}

/** Azure's clients request a part with their own header. */
function takeRange({ headers }: FastifyRequest): void {
  const wanted = headers['x-ms-range'];
  if (typeof wanted === 'string') headers.range = wanted;
}
