import type { Readable } from 'node:stream';
import { GitError } from '../errors.ts';
import type { GitLimits } from '../repo.ts';
import { type Packet, takePacket } from '../transport/pkt-line.ts';
import { rateWatch } from './rate-watch.ts';

/** A stream of bytes whose head is read packet by packet, and whose rest is passed on untouched. */
export type ByteSource = {
  nextPacket(): Promise<Packet>;
  rest(): AsyncGenerator<Buffer>;
  /** Reads the rest and throws it away. */
  discard(): Promise<void>;
  /** Whether the stream has been read to its end. */
  ended(): boolean;
};

/**
 * Reads a request's body; throws `too-large` past `most` bytes, `aborted` when the client goes away, and `timeout` when it sends too
 * slowly. The time in which nobody reads doesn't count.
 */
export function byteSource(body: Readable, { most, limits }: { most: number; limits: GitLimits }): ByteSource {
  const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  let seen = 0;
  let ended = false;

  let giveUp: (error: GitError) => void = () => undefined;
  let slow: GitError | undefined;
  const sender = rateWatch(limits, (error) => {
    slow = error;
    giveUp(error);
  });
  const nextChunk = (): Promise<IteratorResult<Buffer>> => {
    if (slow) return Promise.reject(slow);
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Buffer>>();
    giveUp = reject;
    chunks.next().then(resolve, reject);
    return promise;
  };

  const pull = async (): Promise<Buffer | undefined> => {
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
    seen += next.value.length;
    if (seen > most) throw new GitError('too-large', 'The request is too large');
    return next.value;
  };

  return {
    async nextPacket() {
      for (;;) {
        const taken = takePacket(held);
        if (taken) {
          held = held.subarray(taken.used);
          return taken.packet;
        }
        const more = await pull();
        if (!more) throw new GitError('invalid', 'The request ends too early');
        held = held.length === 0 ? more : Buffer.concat([held, more]);
      }
    },
    async *rest() {
      if (held.length > 0) yield held;
      held = Buffer.alloc(0);
      for (let more = await pull(); more; more = await pull()) yield more;
    },
    async discard() {
      held = Buffer.alloc(0);
      while (await pull());
    },
    ended: () => ended,
  };
}
