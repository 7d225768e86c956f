import { family } from '#resources/family.ts';
import * as membersEndpoints from './endpoints/members.ts';
import * as ownEndpoints from './endpoints/own.ts';
import * as teamsEndpoints from './endpoints/teams.ts';
import { teamEvents } from './events.ts';
import * as schemas from './schemas.ts';
import { Team } from './schemas.ts';

export const teams = family({
  name: 'teams',
  effect: 'Teams and their members change, and with them the access that each team gives to repositories.',
  schemas,
  endpoints: [teamsEndpoints, membersEndpoints, ownEndpoints],
  events: teamEvents,
  payloadParts: { team: Team },
});
