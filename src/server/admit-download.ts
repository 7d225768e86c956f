import type { FastifyReply } from 'fastify';
import type { Caller } from '#lib/caller.ts';
import type { ConcurrencyLimiter, Release } from '#lib/concurrency-limiter.ts';
import type { LimitValues } from '#lib/limits.ts';
import type { transferLimits } from '#objects/limits.ts';
import { admit } from './admit.ts';
import { measureReading } from './reading-rate.ts';

/**
 * Acquires a slot for sending a file. The connection of a client that reads it too slowly is closed.
 * @throws like `admit`
 */
export async function admitDownload(
  limiter: ConcurrencyLimiter,
  caller: Caller,
  reply: FastifyReply,
  limits: LimitValues<typeof transferLimits>,
): Promise<Release> {
  const reading = measureReading(reply, limits);
  const release = await admit(limiter, caller, reply, { work: reading });
  reading.begin();
  return release;
}
