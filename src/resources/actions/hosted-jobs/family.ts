import { family } from '#resources/family.ts';
import { followJobs, watchPrograms } from './jobs.ts';

/** Jobs of workflows on hosted runners: it starts a program for each, and sees what becomes of it. */
export const hostedJobs = family({ name: 'hosted-jobs', subscriptions: [followJobs], jobs: [watchPrograms] });
