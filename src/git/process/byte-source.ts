import type { Readable } from 'node:stream';
import { GitError } from '../errors.ts';
import type { GitLimits } from '../repo.ts';
import { type Packet, takePacket } from '../transport/pkt-line.ts';
import { rateWatch } from './rate-watch.ts';

/** A stream of bytes that begins with packets, which are parsed. The rest is passed on unchanged. */
export type ByteSource = {
  nextPacket(): Promise<Packet>;
  rest(): AsyncGenerator<Buffer>;
  /** Reads and drops the rest. */
  discard(): Promise<void>;
  /** Ends the source here. The following bytes of the stream don't belong to it. */
  finish(): void;
  /** The rate of the sender; see `RateWatch`. */
  rate(): number | undefined;
  /** Whether the stream was read to its end. */
  ended(): boolean;
};

/**
 * Reads a request body.
 * @throws GitError `too-large` beyond `maxBytes`, `aborted` if the client disconnects, `timeout` if it sends too slowly (time in
 * which the server doesn't read isn't counted)
 */
export function byteSource(body: Readable, { maxBytes, limits }: { maxBytes: number; limits: GitLimits }): ByteSource {
  const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  let buffered: Buffer = Buffer.alloc(0);
  let received = 0;
  let ended = false;

  let rejectRead: (error: GitError) => void = () => undefined;
  let tooSlow: GitError | undefined;
  const sender = rateWatch(limits, (error) => {
    tooSlow = error;
    rejectRead(error);
  });
  const nextChunk = (): Promise<IteratorResult<Buffer>> => {
    if (tooSlow) return Promise.reject(tooSlow);
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Buffer>>();
    rejectRead = reject;
    chunks.next().then(resolve, reject);
    return promise;
  };

  const readChunk = async (): Promise<Buffer | undefined> => {
    if (ended) return undefined;
    sender.waiting();
    const next = await nextChunk().catch((error: unknown) => {
      sender.close();
      throw error instanceof GitError ? error : new GitError('aborted', 'The request broke off', String(error));
    });
    sender.moved(next.done ? 0 : next.value.length);
    if (next.done) {
      ended = true;
      return undefined;
    }
    received += next.value.length;
    if (received > maxBytes) throw new GitError('too-large', 'The request is too large');
    return next.value;
  };

  return {
    async nextPacket() {
      for (;;) {
        const taken = takePacket(buffered);
        if (taken) {
          buffered = buffered.subarray(taken.used);
          return taken.packet;
        }
        const chunk = await readChunk();
        if (!chunk) throw new GitError('invalid', 'The request ends too early');
        buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
      }
    },
    async *rest() {
      if (buffered.length > 0) yield buffered;
      buffered = Buffer.alloc(0);
      for (let chunk = await readChunk(); chunk; chunk = await readChunk()) yield chunk;
    },
    async discard() {
      buffered = Buffer.alloc(0);
      while (await readChunk());
    },
    finish() {
      ended = true;
      sender.close();
    },
    rate: () => sender.rate(),
    ended: () => ended,
  };
}
