import { family } from '#resources/family.ts';
import * as endpoints from './endpoints/own.ts';
import { teamEvents } from './events.ts';
import * as schemas from './schemas.ts';
import { Team } from './schemas.ts';

export const teams = family({
  name: 'teams',
  schemas,
  endpoints: [endpoints],
  events: teamEvents,
  payloadParts: { team: Team },
});
