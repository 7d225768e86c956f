import type { EventKind } from '#events/kinds.ts';
import type { Id } from '#lib/id.ts';
import { presentedIssues } from '#resources/collaboration/issues/index.ts';
import { aboutRepository, eventKinds, type PayloadBuilder, payloadBuilder, webhookEventType } from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'sub_issues.sub_issue_added': RelationData;
    'sub_issues.sub_issue_removed': RelationData;
    'sub_issues.parent_issue_added': RelationData;
    'sub_issues.parent_issue_removed': RelationData;
    'issue_dependencies.blocked_by_added': RelationData;
    'issue_dependencies.blocked_by_removed': RelationData;
    'issue_dependencies.blocking_added': RelationData;
    'issue_dependencies.blocking_removed': RelationData;
  }
}

/** An issue of the event's repository, and the other issue, with its repository. */
type RelationData = { issue: Id<'issues'>; other: Id<'issues'>; other_repository: Id<'repositories'> };
export type RelationKind = Extract<EventKind, `sub_issues.${string}` | `issue_dependencies.${string}`>;

const subIssuesEvent = webhookEventType({ name: 'sub_issues', permission: 'issues:read', hooks: 'all' });
const dependenciesEvent = webhookEventType({ name: 'issue_dependencies', permission: 'issues:read', hooks: 'all' });

/** The payload's fields for the issue of the event's repository, and for the other issue. */
type Fields = readonly [own: string, other: string];
const ofParent: Fields = ['parent_issue', 'sub_issue'];
const ofSubIssue: Fields = ['sub_issue', 'parent_issue'];
const ofBlocked: Fields = ['blocked_issue', 'blocking_issue'];
const ofBlocking: Fields = ['blocking_issue', 'blocked_issue'];

/**
 * The webhook event in the repository of one of the two issues. If the other repository isn't public, nothing is sent: receivers
 * in one repository may not have access to the other.
 */
const relationPayload = <Kind extends RelationKind>(
  type: typeof subIssuesEvent,
  action: string,
  [own, other]: Fields,
): PayloadBuilder<Kind> =>
  payloadBuilder([type], (event, context) =>
    aboutRepository(context, event, async (repository) => {
      const { issue: ownId, other: otherId, other_repository } = event.data;
      const elsewhere = await context.findRepository({ ...event, repository: other_repository });
      if (!elsewhere || (elsewhere.id !== repository.id && elsewhere.visibility !== 'public')) return [];
      const [issue, otherIssue, otherRepository] = await Promise.all([
        context.load(presentedIssues, ownId),
        context.load(presentedIssues, otherId),
        context.presentRepository(elsewhere),
      ]);
      if (!issue || !otherIssue) return [];
      const body = {
        [`${own}_id`]: ownId,
        [own]: issue,
        [`${other}_id`]: otherId,
        [other]: otherIssue,
        [`${other}_repo`]: otherRepository,
      };
      return [{ type, action, body }];
    }),
  );

export const relationEvents = eventKinds({
  'sub_issues.sub_issue_added': relationPayload(subIssuesEvent, 'sub_issue_added', ofParent),
  'sub_issues.sub_issue_removed': relationPayload(subIssuesEvent, 'sub_issue_removed', ofParent),
  'sub_issues.parent_issue_added': relationPayload(subIssuesEvent, 'parent_issue_added', ofSubIssue),
  'sub_issues.parent_issue_removed': relationPayload(subIssuesEvent, 'parent_issue_removed', ofSubIssue),
  'issue_dependencies.blocked_by_added': relationPayload(dependenciesEvent, 'blocked_by_added', ofBlocked),
  'issue_dependencies.blocked_by_removed': relationPayload(dependenciesEvent, 'blocked_by_removed', ofBlocked),
  'issue_dependencies.blocking_added': relationPayload(dependenciesEvent, 'blocking_added', ofBlocking),
  'issue_dependencies.blocking_removed': relationPayload(dependenciesEvent, 'blocking_removed', ofBlocking),
});
