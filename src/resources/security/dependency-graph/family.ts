import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { dependencyGraphEvents } from './events.ts';
import { interpreters } from './interpreters.ts';
import { followRepositories, readOutdated } from './jobs.ts';
import * as limits from './limits.ts';
import { readDependencies } from './read.ts';
import * as schemas from './schemas.ts';

/** The dependencies of repositories, from the manifests and lockfiles of their default branches. */
export const dependencyGraph = family({
  name: 'dependency-graph',
  effect: "A repository gets dependencies that its own files don't name, and alerts about them.",
  page: 'dependencies.md',
  limits,
  interpreters,
  schemas,
  endpoints: [endpoints],
  events: dependencyGraphEvents,
  subscriptions: [followRepositories],
  jobs: [readDependencies, readOutdated],
});
