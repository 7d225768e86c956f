import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import { lockInvitation, selectInvitation } from '#resources/identity/members/index.ts';

/** An invitation into an organization, a pending one or one that failed. */
export const organizationInvitation = pathResource({
  name: 'invitation',
  words: { invitation_id: idOf('organization_invitations') },
  below: 'org',
  query: ({ db, at }, { invitation_id }) => selectInvitation(db, at.org.id, invitation_id),
  lock: (tx, at) => lockInvitation(tx, at.invitation),
});
