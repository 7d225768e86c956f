import { family } from '#resources/family.ts';
import * as collaboratorsEndpoints from './endpoints/collaborators.ts';
import * as invitationsEndpoints from './endpoints/invitations.ts';
import * as outsideEndpoints from './endpoints/outside.ts';
import * as ownInvitationsEndpoints from './endpoints/own-invitations.ts';
import { collaboratorEvents } from './events.ts';
import * as schemas from './schemas.ts';

export const collaborators = family({
  name: 'collaborators',
  effect: 'Somebody gets or loses a role in a repository, directly or by an invitation.',
  schemas,
  endpoints: [collaboratorsEndpoints, invitationsEndpoints, ownInvitationsEndpoints, outsideEndpoints],
  events: collaboratorEvents,
});
