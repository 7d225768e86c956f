import { setTimeout as pause } from 'node:timers/promises';
import type { WriteScope } from '#endpoint/scope.ts';
import { Refusal, type RefusalKind } from '#lib/refusal.ts';
import { isLocked } from './time.ts';
import type { World } from './world.ts';

/**
 * Runs two changes concurrently. The first one does its work, and commits only when the second one waits for a lock or has ended.
 * Returns how each ended. An error that isn't a refusal is rethrown.
 */
export async function overlapping(
  { hearth, change }: Pick<World, 'hearth' | 'change'>,
  first: (scope: WriteScope) => Promise<unknown>,
  second: (scope: WriteScope) => Promise<unknown>,
): Promise<('done' | RefusalKind)[]> {
  const { promise: worked, resolve, reject } = Promise.withResolvers<void>();
  let isOver = false;
  const following = worked
    .then(() => change(second))
    .finally(() => {
      isOver = true;
    });
  const leading = change(async (scope) => {
    await first(scope);
    resolve();
    while (!isOver && !(await isLocked(hearth.worker.database.db))) await pause(5);
  });
  leading.catch(reject);
  const outcomes = await Promise.allSettled([leading, following]);
  return outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return 'done';
    if (outcome.reason instanceof Refusal) return outcome.reason.kind;
    throw outcome.reason;
  });
}
