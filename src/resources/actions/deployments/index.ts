export { type AppAction, createAppDeployment, createAppStatus } from './app-deployments.ts';
export { presentDeployment, presentDeployments } from './present.ts';
export { Deployment } from './schemas.ts';
export { type DeploymentRow, listActiveDeploymentEnvironments, loadDeployments } from './store.ts';
