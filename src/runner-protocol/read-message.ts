// Reads the messages of runners, before the library of the protocol does: only of runners that are known, within limits, and one
// large message at a time.
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import type { DescMessage } from '@bufbuild/protobuf';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#lib/caller.ts';
import { jsonReader } from '#lib/json-reader.ts';
import { fixedValue } from '#lib/limits.ts';
import { badRequest, Refusal } from '#lib/refusal.ts';
import { nextTurn } from '#lib/turns.ts';
import { runLimits } from '#resources/actions/workflow-runs/index.ts';
import { withFewFields } from './message-size.ts';

/** Reads a body of any type, which is not unpacked. */
export type ReadBytes = (
  exchange: { request: FastifyRequest; reply: FastifyReply },
  most: { bytes: number; name: string },
  caller: Caller,
) => Promise<Buffer>;

const largeBytes = fixedValue(runLimits.messageBytes);
const smallBytes = fixedValue(runLimits.smallMessageBytes);
const maxFields = fixedValue(runLimits.messageFields);
const maxDepth = 64;
/** Larger messages are read one after the other, those in JSON in parts. */
const largeMessage = 16 * 1024;
const partBytes = 1024 * 1024;

const unpackers = { gzip: promisify(gunzip), br: promisify(brotliDecompress) } as const;

type Wanted = {
  readonly exchange: { request: FastifyRequest; reply: FastifyReply };
  readonly caller: Caller;
  readonly type: DescMessage;
  /** Whether the message may be large: what is done and written by jobs. */
  readonly isLarge: boolean;
  /** A number of fields before one of which a message may be cut off. */
  readonly cutAt: number | undefined;
  readonly readBytes: ReadBytes;
};

/**
 * The message of a request, not packed.
 * @throws Refusal 413 beyond the limits, 400 for a message that can't be read
 */
export async function readMessage({ exchange, caller, type, isLarge, cutAt, readBytes }: Wanted): Promise<Uint8Array> {
  const most = isLarge
    ? { bytes: largeBytes, name: 'workflows.messageBytes' }
    : { bytes: smallBytes, name: 'workflows.smallMessageBytes' };
  const { headers } = exchange.request;
  const bytes = await unpacked(await readBytes(exchange, most, caller), headers['content-encoding'], most.bytes);
  if (bytes.length > largeMessage) await nextTurn();
  if (headers['content-type']?.startsWith('application/json')) {
    const names = { depth: 'workflows.messageFields', values: 'workflows.messageFields' };
    const reader = jsonReader({ depth: maxDepth, values: maxFields, names });
    for (let at = 0; at < bytes.length; at += partBytes) {
      reader.write(bytes.subarray(at, at + partBytes));
      await nextTurn();
    }
    reader.end();
    return bytes;
  }
  return withFewFields(bytes, type, { most: maxFields, cutAt });
}

async function unpacked(bytes: Buffer, encoding = 'identity', most: number): Promise<Buffer> {
  if (encoding === 'identity') return bytes;
  const unpack = unpackers[encoding as keyof typeof unpackers];
  if (!unpack) throw new Refusal('unsupported_media', 'The message must be packed by gzip or br, or not at all');
  try {
    return await unpack(bytes, { maxOutputLength: most });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new Refusal('too_large', `The message unpacks to more than ${most} bytes`);
    throw badRequest('The message can not be unpacked');
  }
}
