import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { repoOf } from '#git/store.ts';
import type { Id } from '#lib/id.ts';
import { timestamp } from '#lib/time.ts';
import {
  aboutRepository,
  type EventScope,
  eventKinds,
  type PayloadScope,
  payloadBuilder,
  webhookEventType,
} from '#resources/event-kinds.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'merge_group.checks_requested': GroupData;
    'merge_group.destroyed': GroupData & { reason: 'merged' | 'invalidated' | 'dequeued' };
  }
}

/** `issue` is the pull request that is the last of the group. `branch` is the short name of the base, `ref` that of the group. */
export type GroupData = { issue: Id<'issues'>; branch: string; ref: string; base: Oid; head: Oid };

const groupEvent = webhookEventType({ name: 'merge_group', permission: 'merge_queues:read', hooks: 'all' });

async function presentGroup({ git }: PayloadScope, repository: Id<'repositories'>, { branch, ref, base, head }: GroupData) {
  await using reader = await openObjects(repoOf(git, repository));
  const commit = (await reader.findCommits([head])).get(head);
  if (!commit) return undefined;
  const { tree, message, author, committer } = commit;
  const person = ({ name, email }: { name: string; email: string }) => ({ name, email });
  return {
    head_sha: head,
    head_ref: ref,
    base_sha: base,
    base_ref: branchRef(branch),
    head_commit: {
      id: head,
      tree_id: tree,
      message,
      timestamp: timestamp(committer.date),
      author: person(author),
      committer: person(committer),
    },
  };
}

const groupPayload = (action: string, context: PayloadScope, event: EventScope & { data: GroupData }, more: object = {}) =>
  aboutRepository(context, event, async ({ id }) => {
    const merge_group = await presentGroup(context, id, event.data);
    return merge_group ? [{ type: groupEvent, action, body: { merge_group, ...more } }] : [];
  });

export const mergeGroupEvents = eventKinds({
  'merge_group.checks_requested': payloadBuilder([groupEvent], (event, context) =>
    groupPayload('checks_requested', context, event),
  ),
  'merge_group.destroyed': payloadBuilder([groupEvent], (event, context) =>
    groupPayload('destroyed', context, event, { reason: event.data.reason }),
  ),
});
