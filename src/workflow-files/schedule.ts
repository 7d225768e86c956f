import type { EventsConfig } from '@actions/workflow-parser/model/workflow-template';
import { Cron } from 'croner';
import { fixedValue } from '#lib/limits.ts';
import { periodicYield } from '#lib/turns.ts';
import { workflowTextLimits } from './limits.ts';

/** A scheduled time of a workflow, and the schedule line for it. */
type ScheduledTime = { readonly at: Date; readonly cron: string };

/** The minimum interval between runs, in milliseconds (five minutes, as in the public API). */
const shortestPause = 5 * 60_000;

const maxLines = fixedValue(workflowTextLimits.scheduleLines);
const maxLength = fixedValue(workflowTextLimits.scheduleLength);

/** Why a schedule is too large; undefined if it isn't. */
export function scheduleProblem({ schedule = [] }: EventsConfig): string | undefined {
  if (schedule.length > maxLines) return `has more than ${maxLines} lines`;
  return schedule.some(({ cron }) => cron.length > maxLength) ? `has a line of more than ${maxLength} characters` : undefined;
}

/**
 * The next scheduled time of a workflow after a given time; undefined if it has no schedule. Lines with an unknown time zone are
 * skipped. A line that never matches a day takes milliseconds, so this yields between lines.
 */
export async function nextRunOf({ schedule = [] }: EventsConfig, after: Date): Promise<ScheduledTime | undefined> {
  const yieldTurn = periodicYield();
  let first: ScheduledTime | undefined;
  for (const { cron, timezone = 'UTC' } of schedule.slice(0, maxLines)) {
    const at = cron.length > maxLength ? undefined : nextOf(cron, timezone, after);
    if (at && (!first || at < first.at)) first = { at, cron };
    await yieldTurn();
  }
  return first;
}

function nextOf(cron: string, timezone: string, after: Date): Date | undefined {
  try {
    const times = new Cron(cron, { timezone, mode: '5-part' });
    const first = times.nextRun(after);
    const second = first && times.nextRun(first);
    if (!first || !second || second.getTime() - first.getTime() >= shortestPause) return first ?? undefined;
    // A line with shorter intervals runs every five minutes.
    return new Date(Math.ceil((after.getTime() + 1) / shortestPause) * shortestPause);
  } catch {
    return undefined;
  }
}
