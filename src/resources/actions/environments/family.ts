import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { environmentEvents } from './events.ts';
import * as schemas from './schemas.ts';

export const environments = family({ name: 'environments', schemas, endpoints: [endpoints], events: environmentEvents });
