import { change } from '#database/connect.ts';
import { subscription } from '#events/subscription.ts';
import { removeUserFrom } from './store.ts';

/** Former members of an organization no longer collaborate on its advisories. */
export const endCollaborationOfFormerMembers = subscription({
  name: 'repository-advisories.end-collaboration',
  on: ['member.removed'],
  attempts: 20,
  async run({ owner, data }, { db }) {
    await change(db, (tx) => removeUserFrom(tx, owner, data.user));
  },
});
