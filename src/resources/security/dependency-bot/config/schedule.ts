// When version updates are looked for.

import { createHash } from 'node:crypto';
import { Cron } from 'croner';
import { fixedValue } from '#lib/limits.ts';
import { botLimits } from '../limits.ts';

export const intervals = ['daily', 'weekly', 'monthly', 'quarterly', 'semiannually', 'yearly', 'cron'] as const;
export const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

export type Schedule = {
  readonly interval: (typeof intervals)[number];
  /** The day of a weekly schedule. */
  readonly day: (typeof weekdays)[number];
  /** `09:30`; undefined for a time of the server's own. */
  readonly time: string | undefined;
  readonly timezone: string;
  /** The line of the interval `cron`. */
  readonly cron: string | undefined;
};

const minutesOfDay = 24 * 60;
const maxLength = fixedValue(botLimits.scheduleLength);
const shortestPause = fixedValue(botLimits.schedulePause);

/** Why a time zone can't be used; undefined if it can. */
export function timezoneProblem(timezone: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    return undefined;
  } catch {
    return 'is no time zone';
  }
}

/** Why a line of cron can't be used; undefined if it can. */
export function cronProblem(cron: string): string | undefined {
  if (cron.length > maxLength) return `has more than ${maxLength} characters`;
  try {
    // A line that never comes is one that somebody got wrong.
    return new Cron(cron, { mode: '5-part', timezone: 'UTC' }).nextRun(new Date(0)) ? undefined : 'never comes';
  } catch {
    return 'is no line of cron with five parts';
  }
}

/**
 * The next time of a schedule after a given one; undefined if there is none. Schedules without a time get one by `seed`, for
 * example the number of the repository, so that not all repositories begin at midnight.
 */
export function nextTime(schedule: Schedule, after: Date, seed: string): Date | undefined {
  try {
    const times = new Cron(lineOf(schedule, seed), { timezone: schedule.timezone, mode: '5-part' });
    const first = times.nextRun(after);
    const second = first && times.nextRun(first);
    if (!first || !second || second.getTime() - first.getTime() >= shortestPause) return first ?? undefined;
    // A line with shorter pauses runs at the end of the shortest one.
    return new Date(Math.ceil((after.getTime() + 1) / shortestPause) * shortestPause);
  } catch {
    return undefined;
  }
}

function lineOf({ interval, day, time, cron = '' }: Schedule, seed: string): string {
  const minutes = time === undefined ? spread(seed) : minutesIn(time);
  const at = `${minutes % 60} ${Math.floor(minutes / 60)}`;
  switch (interval) {
    case 'daily':
      return `${at} * * 1-5`;
    case 'weekly':
      return `${at} * * ${weekdays.indexOf(day)}`;
    case 'monthly':
      return `${at} 1 * *`;
    case 'quarterly':
      return `${at} 1 1,4,7,10 *`;
    case 'semiannually':
      return `${at} 1 1,7 *`;
    case 'yearly':
      return `${at} 1 1 *`;
    case 'cron':
      return cron;
  }
}

function minutesIn(time: string): number {
  const [hours, minutes] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

/** A minute of the day, evenly spread over seeds. */
const spread = (seed: string): number => createHash('sha256').update(seed).digest().readUInt32BE() % minutesOfDay;
