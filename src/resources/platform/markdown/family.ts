import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

export const markdown = family({ name: 'markdown', limits, schemas, endpoints: [endpoints] });
