import type { Tx } from '#database/connect.ts';
import { pathResource } from '#endpoint/path-resource.ts';
import { idOf } from '#endpoint/path-words.ts';
import type { InvitationRow } from '#resources/identity/members/index.ts';
import { findInvitation, findInvitationForUpdate, findOwnInvitation } from './invitation-store.ts';

/** The parts that both path resources of invitations share. */
const invitation = {
  name: 'invitation',
  words: { invitation_id: idOf('repository_invitations') },
  lock: (tx: Tx, at: { readonly invitation: InvitationRow }) => findInvitationForUpdate(tx, at.invitation),
} as const;

export const repoInvitation = pathResource({
  ...invitation,
  below: 'repo',
  find: ({ db, at }, { invitation_id }) => findInvitation(db, at.repo.id, invitation_id),
});

/** An invitation of the authenticated user. */
export const ownInvitation = pathResource({
  ...invitation,
  below: undefined,
  find: async ({ db, viewer: { account, grant } }, { invitation_id }) =>
    account && findOwnInvitation(db, { account, grant }, invitation_id),
});
