import { sql } from 'kysely';
import type { JobContext } from '#endpoint/job-context.ts';
import { recordEach } from '#events/record.ts';
import { subscription } from '#events/subscription.ts';
import type { Id } from '#lib/id.ts';
import { assignableTo } from './assignment/store.ts';

const revocations = [
  'collaborator.removed',
  'member.removed',
  'team.member_removed',
  'team.repository_removed',
  'team.deleted',
  'organization_role.revoked',
] as const;

/** Unassigns users who lost the role that assignees need, with an event on each issue. */
export const unassignLost = subscription<(typeof revocations)[number], JobContext>({
  name: 'issues.unassign-lost',
  on: revocations,
  attempts: 25,
  async run({ owner, repository, actor, at, data }, { change }: JobContext) {
    // If a team lost a role, all assignments are checked, since an assignment doesn't say which role allowed it.
    const userCondition = 'user' in data && data.user !== undefined ? sql`a.user_id = ${data.user}` : sql`true`;
    const repositoryCondition = repository === undefined ? sql`true` : sql`r.id = ${repository}`;
    await change(async (scope) => {
      const { rows } = await sql<{ issue: Id<'issues'>; repository: Id<'repositories'>; user: Id<'accounts'> }>`
        with lost as (
          delete from issue_assignees a using issues i, repositories r, accounts
          where a.issue_id = i.id and i.repository_id = r.id and accounts.id = a.user_id
            and ${userCondition} and r.owner_id = ${owner} and ${repositoryCondition} and not ${assignableTo(sql`r`)}
          returning i.id, i.repository_id, a.user_id
        ), told as (
          insert into issue_events (repository_id, issue_id, actor_id, event, data, created_at)
          select repository_id, id, ${actor ?? null}, 'unassigned', jsonb_build_object('assignee', user_id), ${at} from lost
        )
        select id as issue, repository_id as repository, user_id as "user" from lost`.execute(scope.tx);
      const event = { kind: 'issue.unassigned', owner, actor, at } as const;
      await recordEach(scope.tx, rows, ({ issue, user, ...lost }) => ({ ...event, ...lost, data: { issue, user } }));
    });
  },
});
