import { everybody } from '#access/viewer.ts';
import type { QueueContext } from '#jobs/job.ts';
import { linksOf } from './links.ts';
import { openScope, type Scope } from './scope.ts';
import type { Services } from './services.ts';

/** The context of jobs and event subscriptions. */
export type JobContext = QueueContext & {
  readonly services: Services;
  /** Reads as `everybody`, since people with different access see what a job writes. */
  readonly scope: Scope;
};

/** The address in links if none is configured. Code that stores such links replaces it when the address is known. */
export const unknownAddress = 'http://hearth.invalid';

/** The context of a job. Each has its own scope. */
export function jobContext(given: QueueContext, services: Services): JobContext {
  const { db, now } = given;
  const links = linksOf(services.url ?? unknownAddress, services.ssh);
  return { ...given, services, scope: openScope({ db, links, viewer: everybody, now, git: services.git }) };
}
