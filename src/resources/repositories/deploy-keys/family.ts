import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { deployKeyEvents } from './events.ts';
import * as schemas from './schemas.ts';

export const deployKeys = family({ name: 'deploy-keys', schemas, endpoints: [endpoints], events: deployKeyEvents });
