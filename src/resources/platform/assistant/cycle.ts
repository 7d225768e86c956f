// The cycle of seats is the calendar month, in UTC.
import { dayOf } from '#lib/time.ts';

/** When the cycle began that a time is in. */
export const beginningOfCycle = (time: Date): Date => new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), 1));

/** The first day after it. */
export const endOfCycle = (time: Date): string => dayOf(new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1, 1)));
