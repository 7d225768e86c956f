import type { QueueContext } from '#jobs/job.ts';
import { scopeWithoutRequest } from './change-in.ts';
import type { ServedChange, ServedScope } from './scope.ts';
import type { Services } from './services.ts';

/** The context of jobs and event subscriptions. */
export type JobContext = QueueContext & {
  readonly change: ServedChange;
  readonly services: Services;
  /** Reads as `everybody`, since people with different access see what a job writes. */
  readonly scope: ServedScope;
};

/** The context of a job. Each has its own scope. */
export function jobContext(given: QueueContext & { change?: ServedChange }, services: Services): JobContext {
  const { db, now } = given;
  const opened = scopeWithoutRequest({ db, now, services });
  const { change = opened.change } = given;
  return { ...given, change, services, scope: { ...opened, change } };
}
