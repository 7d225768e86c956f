import { family } from '#resources/family.ts';
import { followFiles } from './jobs.ts';

export const workflows = family({ name: 'workflows', subscriptions: [followFiles] });
