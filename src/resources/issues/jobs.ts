import { sql } from 'kysely';
import type { Services } from '#endpoint/services.ts';
import { subscription } from '#events/subscription.ts';
import { assignableTo } from './assignees.ts';

/** Who lost the role by which they could be assigned is assigned no longer, and the issue tells so. */
export const unassignLost = subscription<'collaborator.removed' | 'member.removed' | 'team.member_removed', Services>({
  name: 'issues.unassign-lost',
  on: ['collaborator.removed', 'member.removed', 'team.member_removed'],
  attempts: 25,
  async run({ owner, repository, actor, at, data: { user } }, { change }) {
    const here = repository === undefined ? sql`true` : sql`r.id = ${repository}`;
    await change(async (tx) => {
      await sql`
        with lost as (
          delete from issue_assignees a using issues i, repositories r, accounts
          where a.issue_id = i.id and i.repository_id = r.id and accounts.id = a.user_id
            and a.user_id = ${user} and r.owner_id = ${owner} and ${here} and not ${assignableTo(sql`r`)}
          returning i.id, i.repository_id
        )
        insert into issue_events (repository_id, issue_id, actor_id, event, data, created_at)
        select repository_id, id, ${actor ?? null}, 'unassigned', ${JSON.stringify({ assignee: user })}::jsonb, ${at} from lost`.execute(
        tx,
      );
    });
  },
});
