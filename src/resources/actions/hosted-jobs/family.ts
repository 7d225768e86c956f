import { family } from '#resources/family.ts';
import { followJobs, watchPrograms } from './jobs.ts';

/** Jobs of workflows on hosted runners: starts a program for each job, and watches it. */
export const hostedJobs = family({ name: 'hosted-jobs', subscriptions: [followJobs], jobs: [watchPrograms] });
