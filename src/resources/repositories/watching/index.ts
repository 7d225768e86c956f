export { lossesOfAccess } from './jobs.ts';
