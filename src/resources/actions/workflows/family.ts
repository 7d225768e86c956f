import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { followFiles } from './jobs.ts';
import * as schemas from './schemas.ts';

export const workflows = family({ name: 'workflows', schemas, endpoints: [endpoints], subscriptions: [followFiles] });
