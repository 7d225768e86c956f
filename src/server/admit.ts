import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { GitError } from '#git/errors.ts';
import type { Caller } from '#lib/caller.ts';
import type { ConcurrencyLimiter, Release } from '#lib/concurrency-limiter.ts';

/**
 * Waits for the caller's turn at what a limiter shares: places of requests, or bytes of bodies. It is free again when the reply was
 * handed to the network, or its connection is gone: replies to a client that doesn't read them take memory, too.
 *
 * @returns what frees the place earlier
 */
export async function admit(
  limiter: ConcurrencyLimiter,
  caller: Caller,
  { raw }: FastifyReply,
  { places = 1 }: { places?: number } = {},
): Promise<Release> {
  const release =
    limiter.tryAcquire(caller, places) ?? (await untilGone(raw, (signal) => limiter.acquire(caller, { places, signal })));
  if (raw.writableFinished || raw.destroyed) release();
  else raw.once('close', release); // it comes after `finish`, too
  return release;
}

/** Waits for as long as the client does. */
async function untilGone<T>(raw: ServerResponse, wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const gone = new AbortController();
  const leave = (): void => gone.abort(new GitError('aborted', 'The client went away'));
  raw.once('close', leave);
  return wait(gone.signal).finally(() => raw.off('close', leave));
}
