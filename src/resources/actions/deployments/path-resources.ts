import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { findDeploymentForUpdate, findStatus, selectDeployment } from './store.ts';

/** A deployment of a repository. */
export const deployment = pathResource({
  name: 'deployment',
  words: { deployment_id: idOf('deployments') },
  below: 'repo',
  query: ({ db, at }, { deployment_id }) => selectDeployment(db, at.repo.id, deployment_id),
  lock: (tx, at) => findDeploymentForUpdate(tx, at.deployment),
});

/** A status of a deployment. */
export const deploymentStatus = pathResource({
  name: 'status',
  words: { status_id: idOf('deployment_statuses') },
  below: deployment,
  find: ({ db, at }, { status_id }) => findStatus(db, at.deployment.id, status_id),
});
