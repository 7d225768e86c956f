/** Document 1: timestamps are `YYYY-MM-DDTHH:MM:SSZ`. */
export const timestamp = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;

export const timestampOrNull = (date: Date | null | undefined): string | null => (date ? timestamp(date) : null);

/** A day in UTC, such as `2026-01-31`. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

export const addSeconds = (date: Date, seconds: number): Date => new Date(date.getTime() + seconds * 1000);
export const addMinutes = (date: Date, minutes: number): Date => addSeconds(date, minutes * 60);
export const addDays = (date: Date, days: number): Date => addSeconds(date, days * 86_400);

/** The same day of a later month, in UTC, or its last day if the month is too short. */
export function addMonths(date: Date, months: number): Date {
  const later = new Date(date);
  later.setUTCMonth(date.getUTCMonth() + months);
  if (later.getUTCDate() !== date.getUTCDate()) later.setUTCDate(0);
  return later;
}
