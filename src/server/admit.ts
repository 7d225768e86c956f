import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { GitError } from '#git/errors.ts';
import type { Caller } from '#lib/caller.ts';
import type { AcquireOptions, ConcurrencyLimiter, Release } from '#lib/concurrency-limiter.ts';

/**
 * Takes slots of a limiter for a request. They are released when the reply was written to the network or its connection is
 * closed, since a reply that the client doesn't read takes memory too.
 * @returns a function that releases them earlier
 * @throws Refusal as `ConcurrencyLimiter.acquire`; GitError `aborted` where the client disconnects
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
  else raw.once('close', release); // it comes after `finish`, too
  return release;
}

/** Waits for as long as the client is connected. */
async function waitWhileConnected<T>(raw: ServerResponse, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const disconnected = new AbortController();
  const abort = (): void => disconnected.abort(new GitError('aborted', 'The client went away'));
  raw.once('close', abort);
  return wait(disconnected.signal).finally(() => raw.off('close', abort));
}
