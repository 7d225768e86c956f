import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { revokeTokensOfMember } from './approvals.ts';

/** Revokes an organization's approvals of the tokens of former members, so that they don't return with the member. */
export const revokeOfFormerMembers = subscription({
  name: 'tokens.revokeOfFormerMembers',
  on: ['member.removed'],
  attempts: 20,
  async run({ owner, actor, data }, { change, now }: JobContext) {
    await change((scope) => revokeTokensOfMember(scope, { org: { id: owner }, by: actor, now }, data.user));
  },
});
