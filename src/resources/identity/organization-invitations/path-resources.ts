import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { lockInvitation, selectInvitation } from '#resources/identity/members/index.ts';

/** A pending or failed invitation to an organization. */
export const organizationInvitation = pathResource({
  name: 'invitation',
  words: { invitation_id: idOf('organization_invitations') },
  below: 'org',
  query: ({ db, at }, { invitation_id }) => selectInvitation(db, at.org.id, invitation_id),
  lock: (tx, at) => lockInvitation(tx, at.invitation),
});
