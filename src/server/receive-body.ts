import type { IncomingMessage } from 'node:http';
import { GitError } from '#git/errors.ts';
import { Refusal } from '#lib/refusal.ts';

export type ReceiveLimits = {
  readonly bytes: number;
  /** The name of the limit on bytes in refusals. */
  readonly name: string;
  /** Milliseconds that a body may take, in addition to the time for its bytes at `rate` (bytes per second). */
  readonly time: number;
  readonly rate: number;
  /** Ends the receiving, with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Gets the number of bytes that have arrived. */
  readonly onProgress?: ((received: number) => void) | undefined;
};

/** Parts are joined up to this many bytes or parts, since each call of `onPart` has a cost. */
const flushAt = { bytes: 16 * 1024, parts: 1024 };

/**
 * Receives the body of a request, and passes its parts to `onPart` as they arrive. After an error, the rest of the body stays
 * unread; see `unread-body.ts`.
 * @throws Refusal `too_large` beyond the limit, and `timed_out` for a body that arrives too slowly
 * @throws GitError `aborted` if the client disconnects
 * @throws the error of `onPart`
 */
export async function receiveBody(raw: IncomingMessage, limits: ReceiveLimits, onPart: (part: Buffer) => void): Promise<void> {
  let parts: Buffer[] = [];
  let buffered = 0;
  const flush = (): void => {
    const [first] = parts;
    const all = parts.length === 1 && first ? first : Buffer.concat(parts);
    parts = [];
    buffered = 0;
    onPart(all);
  };
  await receive(raw, limits, {
    onData(part) {
      buffered += part.length;
      parts.push(part);
      if (buffered >= flushAt.bytes || parts.length >= flushAt.parts) flush();
    },
    onEnd: flush,
  });
}

/**
 * The same for a body that is larger than memory allows. The next part is read after the promise of `take` for the previous one.
 * @throws the error of `take`, and the errors of `receiveBody`
 */
export async function receiveParts(
  raw: IncomingMessage,
  limits: ReceiveLimits,
  take: (part: Buffer) => Promise<void>,
): Promise<void> {
  let taken: Promise<void> = Promise.resolve();
  await receive(raw, limits, {
    onData(part, fail) {
      raw.pause();
      taken = take(part);
      taken.then(() => raw.resume(), fail);
    },
  });
  // A body that has arrived completely ends while `take` handles its last part, although it is paused.
  await taken;
}

type Receiver = { onData(part: Buffer, fail: (error: unknown) => void): void; onEnd?: () => void };

const nothing = (): void => undefined;

async function receive(
  raw: IncomingMessage,
  limits: ReceiveLimits,
  { onData: take, onEnd: finish = nothing }: Receiver,
): Promise<void> {
  const start = performance.now();
  let received = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();

  const onData = (part: Buffer): void => {
    received += part.length;
    limits.onProgress?.(received);
    if (received > limits.bytes) reject(tooLarge(limits));
    else attempt(() => take(part, reject));
  };
  const onEnd = (): void => attempt(finish, resolve);
  const onClose = (): void => reject(new GitError('aborted', 'The client went away'));
  const attempt = (...steps: (() => void)[]): void => {
    try {
      for (const step of steps) step();
    } catch (error) {
      reject(error);
    }
  };
  const onTime = (): void => {
    const remaining = start + limits.time + (received / limits.rate) * 1_000 - performance.now();
    if (remaining > 0) timer = setTimeout(onTime, remaining);
    else reject(timedOut(limits));
  };
  let timer = setTimeout(onTime, limits.time);
  const onAbort = (): void => reject(limits.signal?.reason);

  raw.on('data', onData).once('end', onEnd).once('close', onClose).once('error', onClose);
  if (raw.destroyed) onClose();
  if (limits.signal?.aborted) onAbort();
  limits.signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    limits.signal?.removeEventListener('abort', onAbort);
    raw.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose).pause();
  }
}

/** The refusal of a body that exceeds its limit. */
export const tooLarge = ({ bytes, name }: Pick<ReceiveLimits, 'bytes' | 'name'>): Refusal =>
  new Refusal('too_large', `The request body is too large: ${bytes} bytes are allowed (${name})`, [], { limit: name });

const timedOut = ({ time, rate }: ReceiveLimits): Refusal =>
  new Refusal(
    'timed_out',
    `The body took too long to arrive: ${time / 1_000} s are allowed (requests.bodyTime), and more where it brings ` +
      `${rate} bytes a second`,
    [],
    { limit: 'requests.bodyTime' },
  );
