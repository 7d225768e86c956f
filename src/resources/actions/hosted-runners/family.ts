import { family } from '#resources/family.ts';
import * as catalogueEndpoints from './endpoints/catalogue.ts';
import * as imagesEndpoints from './endpoints/images.ts';
import * as runnersEndpoints from './endpoints/runners.ts';
import { hostedRunnerEvents } from './events.ts';
import { dropImageContent, provisionRunner, removeRunnerMachine, resumeRunners } from './jobs.ts';
import { reconcileRunners } from './reconcile.ts';
import * as schemas from './schemas.ts';

export const hostedRunners = family({
  name: 'hosted-runners',
  effect: "Machines are started for an organization's jobs, other machines than before, or none.",
  page: 'runners.md',
  schemas,
  endpoints: [runnersEndpoints, catalogueEndpoints, imagesEndpoints],
  events: hostedRunnerEvents,
  jobs: [provisionRunner, removeRunnerMachine, resumeRunners, dropImageContent, reconcileRunners],
});
