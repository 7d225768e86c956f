import { setTimeout as pause } from 'node:timers/promises';
import type { Tx } from '#database/connect.ts';
import { Refusal, type RefusalKind } from '#lib/refusal.ts';
import type { World } from './world.ts';

const heldOpenMs = 150;

/**
 * Runs two changes at once: the first has done its work, and not yet committed, when the second begins. How each ended; what
 * isn't a refusal is a fault, and thrown.
 */
export async function overlapping(
  { change }: Pick<World, 'change'>,
  first: (tx: Tx) => Promise<unknown>,
  second: (tx: Tx) => Promise<unknown>,
): Promise<('done' | RefusalKind)[]> {
  const { promise: worked, resolve } = Promise.withResolvers<void>();
  const outcomes = await Promise.allSettled([
    change(async (tx) => {
      await first(tx);
      resolve();
      await pause(heldOpenMs);
    }),
    worked.then(() => change(second)),
  ]);
  return outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return 'done';
    if (outcome.reason instanceof Refusal) return outcome.reason.kind;
    throw outcome.reason;
  });
}
