import { family } from '#resources/family.ts';
import { verifyPushed } from './jobs.ts';
import * as schemas from './schemas.ts';

export const commitVerification = family({ name: 'commit-verification', schemas, subscriptions: [verifyPushed] });
