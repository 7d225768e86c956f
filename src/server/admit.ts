import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { GitError } from '#git/errors.ts';
import type { Caller } from '#lib/caller.ts';
import type { AcquireOptions, ConcurrencyLimiter, Release } from '#lib/concurrency-limiter.ts';

/**
 * Acquires slots of a limiter for a request. They are released when the reply has been written to the network or its connection
 * is closed, since an unread reply takes memory too.
 * @returns a function that releases them earlier
 * @throws Refusal like `ConcurrencyLimiter.acquire`; GitError `aborted` if the client disconnects
 */
export async function admit(
  limiter: ConcurrencyLimiter,
  caller: Caller,
  { raw }: FastifyReply,
  { slots = 1, work }: Pick<AcquireOptions, 'slots' | 'work'> = {},
): Promise<Release> {
  const release =
    limiter.tryAcquire(caller, slots, work) ??
    (await waitWhileConnected(raw, (signal) => limiter.acquire(caller, { slots, signal, ...(work && { work }) })));
  if (raw.writableFinished || raw.destroyed) release();
  else raw.once('close', release); // it also follows `finish`
  return release;
}

/** Waits as long as the client is connected. */
async function waitWhileConnected<T>(raw: ServerResponse, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const disconnected = new AbortController();
  const abort = (): void => disconnected.abort(new GitError('aborted', 'The client went away'));
  raw.once('close', abort);
  return wait(disconnected.signal).finally(() => raw.off('close', abort));
}
