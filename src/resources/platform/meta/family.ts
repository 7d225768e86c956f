import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import * as explanations from './explanations.ts';
import * as schemas from './schemas.ts';

export const meta = family({
  name: 'meta',
  schemas,
  endpoints: [endpoints],
  pageEndpoints: [explanations],
});
