export { presentRunners as presentHostedRunners } from './present.ts';
export { type Publication, type Published, publishImage } from './publish.ts';
export { HostedRunner } from './schemas.ts';
export { listRunners as listHostedRunners, moveRunners as moveHostedRunners } from './store.ts';
