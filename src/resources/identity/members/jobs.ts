import type { JobContext } from '#endpoint/job-context.ts';
import { recordEach } from '#events/record.ts';
import { job } from '#jobs/job.ts';
import { repeatWhile } from '#jobs/repeat.ts';
import { failInvitations } from './invitation-store.ts';
import { expiredReason, expiryBefore } from './invitations.ts';

/** The number of invitations that one transaction marks. */
const batch = 500;

/** Marks invitations to organizations as failed if nobody accepted them in time. */
export const expireInvitations = job<Record<string, never>>({
  name: 'members.expire-invitations',
  attempts: 3,
  schedule: { cron: '*/10 * * * *' },
  async run(_payload, { change, now, stopping }: JobContext) {
    const before = expiryBefore(now);
    const failBatch = () =>
      change(async (scope) => {
        const failed = await failInvitations(scope.tx, { before, reason: expiredReason, now, limit: batch });
        await recordEach(scope.tx, failed, ({ id, organization_id }) => ({
          kind: 'member.invitation_failed',
          owner: organization_id,
          actor: undefined,
          at: now,
          data: { invitation: id },
        }));
        return failed.length;
      });
    await repeatWhile({ stopping }, async () => (await failBatch()) === batch);
  },
});
