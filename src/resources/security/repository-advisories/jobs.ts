import { change } from '#database/connect.ts';
import { subscription } from '#events/subscription.ts';
import { removeUserFrom } from './store.ts';

/** Who leaves an organization works on its advisories no longer. */
export const endCollaborationOfFormerMembers = subscription({
  name: 'repository-advisories.end-collaboration',
  on: ['member.removed'],
  attempts: 20,
  async run({ owner, data }, { db }) {
    await change(db, (tx) => removeUserFrom(tx, owner, data.user));
  },
});
