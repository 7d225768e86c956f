import { family } from '#resources/family.ts';
import * as labels from './endpoints/labels.ts';
import * as runnerEndpoints from './endpoints/runners.ts';
import * as schemas from './schemas.ts';

export const runners = family({ name: 'runners', schemas, endpoints: [runnerEndpoints, labels] });
