// Periods of reports, in UTC.
import { badRequest } from '#lib/refusal.ts';
import { dayOf } from '#lib/time.ts';
import type { UsageTime } from './schemas.ts';
import type { Period } from './usage-store.ts';

/** The first day of a month. */
export const monthOf = (time: Date): string => `${time.toISOString().slice(0, 7)}-01`;

/**
 * The period that a request names. Missing parts come from the current date: a day alone is a day of this month. The usage of a
 * year comes from its months, and the usage of shorter periods from days.
 * @throws Refusal 400 for a day that doesn't exist
 */
export function timeOf(wanted: UsageTime, now: Date): { named: UsageTime & { year: number }; period: Period } {
  const { year = now.getUTCFullYear(), day } = wanted;
  const month = wanted.month ?? (day === undefined ? undefined : now.getUTCMonth() + 1);
  const start = (ofYear: number, ofMonth: number, ofDay: number) => new Date(Date.UTC(ofYear, ofMonth - 1, ofDay));
  const first = start(year, month ?? 1, day ?? 1);
  if (day !== undefined && first.getUTCDate() !== day) throw badRequest(`There is no day ${day} in month ${month} of ${year}`);
  const end =
    day !== undefined
      ? start(year, month ?? 1, day + 1)
      : month !== undefined
        ? start(year, month + 1, 1)
        : start(year + 1, 1, 1);
  return {
    named: { year, ...(month === undefined ? {} : { month }), ...(day === undefined ? {} : { day }) },
    period: {
      from: dayOf(first),
      until: end.getUTCFullYear() > 9999 ? '10000-01-01' : dayOf(end),
      by: month === undefined ? 'month' : 'day',
    },
  };
}
