import { system } from '#lib/caller.ts';

/** Whom scans count for: repositories are scanned one after the other, so that they share one thread. */
export const scanCaller = system;
