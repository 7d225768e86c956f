import { everybody } from '#access/viewer.ts';
import type { QueueContext } from '#jobs/job.ts';
import { linksOf } from './links.ts';
import { openScope, type Scope } from './scope.ts';
import type { Services } from './services.ts';

/** What jobs and subscriptions to events work with. */
export type JobContext = QueueContext & {
  readonly services: Services;
  /** Reads for `everybody`: what a job writes is seen by people who may see different things. */
  readonly scope: Scope;
};

/** The address in links where none is configured. Whoever stores such links replaces it when the address is known. */
const unknownAddress = 'http://hearth.invalid';

/** The context of a job. Each has a scope of its own. */
export function jobContext(given: QueueContext, services: Services): JobContext {
  const { db, now } = given;
  const links = linksOf(services.url ?? unknownAddress, services.ssh);
  return { ...given, services, scope: openScope({ db, links, viewer: everybody, now, git: services.git }) };
}
