import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import * as limits from './limits.ts';
import * as pageEndpoints from './page-endpoints.ts';
import * as schemas from './schemas.ts';

export const commits = family({
  name: 'commits',
  limits,
  schemas,
  endpoints: [endpoints],
  pageEndpoints: [pageEndpoints],
});
