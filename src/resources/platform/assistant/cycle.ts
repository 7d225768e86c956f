// The cycle of seats is the calendar month, in UTC.
import { dayOf } from '#lib/time.ts';

/** The start of the cycle that contains a time. */
export const beginningOfCycle = (time: Date): Date => new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), 1));

/** The first day after the cycle. */
export const endOfCycle = (time: Date): string => dayOf(new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1, 1)));
