export { presentRunners as presentHostedRunners } from './present.ts';
export { type Publication, publishImage } from './publish.ts';
export { HostedRunner } from './schemas.ts';
export {
  listRunners as listHostedRunners,
  listStuck as listStuckRunners,
  lockReady as lockHostedRunners,
  moveRunners as moveHostedRunners,
  type RunnerRow as HostedRunnerRow,
  updateLastActive,
} from './store.ts';
