import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { deploymentEvents } from './events.ts';
import * as schemas from './schemas.ts';
import { Deployment, DeploymentStatus } from './schemas.ts';

export const deployments = family({
  name: 'deployments',
  schemas,
  endpoints: [endpoints],
  events: deploymentEvents,
  payloadParts: { deployment: Deployment, deployment_status: DeploymentStatus },
});
