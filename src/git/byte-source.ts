import type { Readable } from 'node:stream';
import { GitError } from './errors.ts';
import { type Packet, takePacket } from './pkt-line.ts';

/** A stream of bytes whose head is read packet by packet, and whose rest is passed on untouched. */
export type ByteSource = {
  nextPacket(): Promise<Packet>;
  rest(): AsyncGenerator<Buffer>;
  /** Reads the rest and throws it away. */
  discard(): Promise<void>;
  /** Whether the stream has been read to its end. */
  ended(): boolean;
};

/** Reads a request's body; throws `too-large` past `most` bytes, and `aborted` when the client goes away. */
export function byteSource(body: Readable, most: number): ByteSource {
  const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  let seen = 0;
  let ended = false;

  const pull = async (): Promise<Buffer | undefined> => {
    const next = await chunks.next().catch((error: unknown) => {
      throw error instanceof GitError ? error : new GitError('aborted', 'The request broke off', String(error));
    });
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
