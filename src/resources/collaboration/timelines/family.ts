import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import * as pageEndpoints from './page-endpoints.ts';
import * as schemas from './schemas.ts';

export const timelines = family({ name: 'timelines', schemas, endpoints: [endpoints], pageEndpoints: [pageEndpoints] });
