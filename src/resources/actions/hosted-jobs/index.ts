export { runsHostedJobs } from './rules.ts';
