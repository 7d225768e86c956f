// Tries out custom patterns in a worker thread, before they are stored.
import type { Caller } from '#lib/caller.ts';
import { fixedValue } from '#lib/limits.ts';
import { invalid, invalidFields } from '#lib/refusal.ts';
import { ThreadEnded, threadFunctions } from '#lib/worker-threads/thread-functions.ts';
import { secretScanningLimits } from '../limits.ts';
import { resource, type Trial } from './expressions.ts';

const trials = threadFunctions<typeof import('./expressions.ts')>(
  new URL('./expressions.ts', import.meta.url),
  fixedValue(secretScanningLimits.customTime),
);

/** @throws Refusal 422 with the field that is wrong */
export async function tryOut(caller: Caller, trial: Trial): Promise<void> {
  const errors = await trials.call('findErrors', trial, { caller }).catch((error: unknown) => {
    if (!(error instanceof ThreadEnded)) throw error;
    throw invalid(resource, trial.field, 'invalid', `${trial.field} take too long to be tried out`);
  });
  if (errors.length > 0) throw invalidFields(errors);
}
