import { family } from '#resources/family.ts';
import { verifyPushed } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const commitVerification = family({ name: 'commit-verification', limits, schemas, subscriptions: [verifyPushed] });
