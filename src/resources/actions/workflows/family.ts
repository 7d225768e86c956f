import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { followFiles } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const workflows = family({ name: 'workflows', limits, schemas, endpoints: [endpoints], subscriptions: [followFiles] });
