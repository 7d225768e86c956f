import type { IncomingMessage } from 'node:http';
import { GitError } from '#git/errors.ts';
import { Refusal } from '#lib/refusal.ts';

export type ReceiveLimits = {
  readonly bytes: number;
  /** What the limit on bytes is called in refusals. */
  readonly name: string;
  /** Milliseconds that a body may take beside the time that its bytes take at the rate, in bytes a second. */
  readonly time: number;
  readonly rate: number;
};

/** Parts are collected up to this many bytes, or so many parts: each makes work, however few bytes it has. */
const collected = { bytes: 16 * 1024, parts: 1024 };

/**
 * Receives the body of a request, and hands it on in parts as it arrives. What `take` throws ends it. Where it throws, the rest of
 * the body stays unread; see `unread-body.ts`.
 * @throws Refusal `too_large` beyond the limit, and `timed_out` for a body that comes too slowly.
 */
export async function receiveBody(raw: IncomingMessage, limits: ReceiveLimits, take: (part: Buffer) => void): Promise<void> {
  const start = performance.now();
  let parts: Buffer[] = [];
  let waiting = 0;
  let received = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();

  const flush = (): void => {
    const [first] = parts;
    const all = parts.length === 1 && first ? first : Buffer.concat(parts);
    parts = [];
    waiting = 0;
    take(all);
  };
  const onData = (part: Buffer): void => {
    received += part.length;
    waiting += part.length;
    parts.push(part);
    if (received > limits.bytes) reject(tooLarge(limits));
    else if (waiting >= collected.bytes || parts.length >= collected.parts) attempt(flush);
  };
  const onEnd = (): void => attempt(flush, resolve);
  const onClose = (): void => reject(new GitError('aborted', 'The client went away'));
  const attempt = (...works: (() => void)[]): void => {
    try {
      for (const work of works) work();
    } catch (error) {
      reject(error);
    }
  };
  const onTime = (): void => {
    const left = start + limits.time + (received / limits.rate) * 1_000 - performance.now();
    if (left > 0) timer = setTimeout(onTime, left);
    else reject(timedOut(limits));
  };
  let timer = setTimeout(onTime, limits.time);

  raw.on('data', onData).once('end', onEnd).once('close', onClose).once('error', onClose);
  if (raw.destroyed) onClose();
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    raw.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose).pause();
  }
}

/** The refusal of a body that is larger than its limit. */
export const tooLarge = ({ bytes, name }: Pick<ReceiveLimits, 'bytes' | 'name'>): Refusal =>
  new Refusal('too_large', `The request body is too large: ${bytes} bytes are allowed (${name})`, [], { limit: name });

const timedOut = ({ time, rate }: ReceiveLimits): Refusal =>
  new Refusal(
    'timed_out',
    `The body took too long to arrive: ${time / 1_000} s are allowed (requests.bodyTime), and more where it brings ${rate} bytes a second`,
    [],
    { limit: 'requests.bodyTime' },
  );
