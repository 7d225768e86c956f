import type { EventsConfig } from '@actions/workflow-parser/model/workflow-template';
import { Cron } from 'croner';

/** When a workflow runs by its schedule, and the line of it that says so. */
export type ScheduledTime = { readonly at: Date; readonly cron: string };

/** Runs are five minutes apart at least (the public API's bound), in milliseconds. */
const shortestPause = 5 * 60_000;

/** The first time after another at which a workflow is to run; undefined where it has no schedule. Lines in no known time zone are left out. */
export function nextRunOf({ schedule = [] }: EventsConfig, after: Date): ScheduledTime | undefined {
  const times = schedule.flatMap(({ cron, timezone = 'UTC' }) => {
    const at = nextOf(cron, timezone, after);
    return at ? [{ at, cron }] : [];
  });
  return times.toSorted((a, b) => a.at.getTime() - b.at.getTime())[0];
}

function nextOf(cron: string, timezone: string, after: Date): Date | undefined {
  try {
    const times = new Cron(cron, { timezone, mode: '5-part' });
    const first = times.nextRun(after);
    const second = first && times.nextRun(first);
    if (!first || !second || second.getTime() - first.getTime() >= shortestPause) return first ?? undefined;
    // A line that asks for more gets every fifth minute.
    return new Date(Math.ceil((after.getTime() + 1) / shortestPause) * shortestPause);
  } catch {
    return undefined;
  }
}
