import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { deploymentEvents } from './events.ts';
import * as limits from './limits.ts';
import * as ofPages from './of-pages.ts';
import { deploymentEvaluators } from './rule-evaluators.ts';
import * as schemas from './schemas.ts';
import { Deployment, DeploymentStatus } from './schemas.ts';

export const deployments = family({
  name: 'deployments',
  effect: 'A deployment of a commit and its states are recorded, and apps are asked to carry it out.',
  page: 'deployments.md',
  limits,
  interpreters: [{ reads: 'what was stored of bodies and events as JSON', runs: 'steps', modules: ['present.ts'], bounds: [] }],
  schemas,
  endpoints: [endpoints],
  pageEndpoints: [ofPages],
  events: deploymentEvents,
  evaluators: deploymentEvaluators,
  payloadParts: { deployment: Deployment, deployment_status: DeploymentStatus },
});
