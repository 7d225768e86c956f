import { sql } from 'kysely';
import type { Services } from '#endpoint/services.ts';
import { subscription } from '#events/subscription.ts';
import { unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { indexIssues } from '#search/index.ts';
import { assignableTo } from './assignee-store.ts';

const losses = [
  'collaborator.removed',
  'member.removed',
  'team.member_removed',
  'team.repository_removed',
  'team.deleted',
  'organization_role.revoked',
] as const;

/** Unassigns users who lost the role by which they could be assigned, with an event on each issue. */
export const unassignLost = subscription<(typeof losses)[number], Services>({
  name: 'issues.unassign-lost',
  on: losses,
  attempts: 25,
  async run({ owner, repository, actor, at, data }, { db, change }) {
    // Where a team lost a role, all assignments are checked: an assignment doesn't say by which role it was possible.
    const whose = 'user' in data && data.user !== undefined ? sql`a.user_id = ${data.user}` : sql`true`;
    const here = repository === undefined ? sql`true` : sql`r.id = ${repository}`;
    const { rows } = await change((tx) =>
      sql<{ issue_id: Id<'issues'> }>`
        with lost as (
          delete from issue_assignees a using issues i, repositories r, accounts
          where a.issue_id = i.id and i.repository_id = r.id and accounts.id = a.user_id
            and ${whose} and r.owner_id = ${owner} and ${here} and not ${assignableTo(sql`r`)}
          returning i.id, i.repository_id, a.user_id
        )
        insert into issue_events (repository_id, issue_id, actor_id, event, data, created_at)
        select repository_id, id, ${actor ?? null}, 'unassigned', jsonb_build_object('assignee', user_id), ${at} from lost
        returning issue_id`.execute(tx),
    );
    await indexIssues(db, unique(rows.map(({ issue_id }) => issue_id)));
  },
});
