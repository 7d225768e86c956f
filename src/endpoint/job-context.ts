import type { QueueContext } from '#jobs/job.ts';
import { changeIn, scopeWithoutRequest } from './change-in.ts';
import type { Change, Scope } from './scope.ts';
import type { Services } from './services.ts';

/** What jobs and subscriptions to events work with. */
export type JobContext = QueueContext & {
  readonly change: Change;
  readonly services: Services;
  /** Reads for `everybody`: what a job writes is seen by people who may see different things. */
  readonly scope: Scope;
};

/** The context of a job. Each has a scope of its own. */
export function jobContext(given: QueueContext & { change?: Change }, services: Services): JobContext {
  const { db, now } = given;
  const scope = scopeWithoutRequest({ db, now, services });
  return { change: (work) => changeIn(scope, work), ...given, services, scope };
}
