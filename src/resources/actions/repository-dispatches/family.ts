import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { dispatchEvents } from './events.ts';

export const repositoryDispatches = family({ name: 'repository-dispatches', endpoints: [endpoints], events: dispatchEvents });
