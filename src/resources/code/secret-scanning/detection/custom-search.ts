// Looks for secrets of custom patterns, in a worker thread.
import type { Caller } from '#lib/caller.ts';
import { fixedValue } from '#lib/limits.ts';
import { ThreadEnded, threadFunctions } from '#lib/worker-threads/thread-functions.ts';
import { secretScanningLimits } from '../limits.ts';
import type { CustomPattern } from './custom-scanner.ts';
import type { Match } from './scanner.ts';

const scanning = threadFunctions<typeof import('./custom-scanner.ts')>(
  new URL('./custom-scanner.ts', import.meta.url),
  fixedValue(secretScanningLimits.customTime),
);

/** Finds the secrets in some bytes, up to a limit. */
export type CustomSearch = (bytes: Buffer, limit: number) => Promise<readonly Match[]>;

/** Files that may take too long before no further one is searched. */
const maxEnded = 3;

/**
 * Searches the files of one push, or of one part of a scan, for these patterns. In a file that takes too long, nothing is found.
 */
export function customSearch(patterns: readonly CustomPattern[], caller: Caller): CustomSearch {
  let left = patterns.length === 0 ? 0 : maxEnded;
  return async (bytes, limit) => {
    if (left === 0 || limit === 0) return [];
    try {
      // A copy: the whole buffer that a small one shares would be cloned.
      return await scanning.call('scanCustom', { patterns, bytes: new Uint8Array(bytes), limit }, { caller });
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error;
      left--;
      return [];
    }
  };
}
