import { isDeepStrictEqual } from 'node:util';
import { revived, type Snapshot } from '#lib/snapshot.ts';
import { timestamp } from '#lib/time.ts';
import {
  aboutRepository,
  type EventScope,
  eventKinds,
  type PayloadScope,
  payloadBuilder,
  webhookEventType,
} from '#resources/event-kinds.ts';
import { loadNames } from './actor-store.ts';
import { contextsOf } from './present.ts';
import type { ProtectionRow } from './store.ts';

/** The protection before the change. */
type Was = { was: Snapshot<ProtectionRow> };
type Is = { is: Snapshot<ProtectionRow> };

declare module '#events/kinds.ts' {
  interface EventData {
    'branch_protection.created': Is;
    'branch_protection.edited': Was & Is;
    'branch_protection.deleted': Was;
  }
}

const ruleEvent = webhookEventType({ name: 'branch_protection_rule', permission: 'administration:read', hooks: 'all' });

/** A protection in the public API's payload format. */
async function presentRule({ db }: PayloadScope, snapshot: Snapshot<ProtectionRow>) {
  const row = revived<ProtectionRow>(snapshot, ['created_at', 'updated_at']);
  const { reviews, status_checks: checks, actors } = row;
  const level = (isOn: boolean) => (isOn ? (row.enforce_admins ? 'everyone' : 'non_admins') : 'off');
  const pushers = await loadNames(
    db,
    actors.filter(({ list }) => list === 'push'),
  );
  return {
    id: row.id,
    repository_id: row.repository_id,
    name: row.branch,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    pull_request_reviews_enforcement_level: level(reviews !== null),
    required_approving_review_count: reviews?.required_approving_review_count ?? 0,
    dismiss_stale_reviews_on_push: reviews?.dismiss_stale_reviews ?? false,
    require_code_owner_review: reviews?.require_code_owner_reviews ?? false,
    require_last_push_approval: reviews?.require_last_push_approval ?? false,
    authorized_dismissal_actors_only: reviews?.restricts_dismissals ?? false,
    ignore_approvals_from_contributors: false,
    required_status_checks: checks ? contextsOf(checks) : [],
    required_status_checks_enforcement_level: level(checks !== null),
    strict_required_status_checks_policy: checks?.strict ?? false,
    signature_requirement_enforcement_level: level(row.required_signatures),
    linear_history_requirement_enforcement_level: level(row.required_linear_history),
    lock_branch_enforcement_level: level(row.lock_branch),
    lock_allows_fork_sync: row.allow_fork_syncing,
    admin_enforced: row.enforce_admins,
    create_protected: row.restricts_pushes && row.block_creations,
    allow_force_pushes_enforcement_level: row.allow_force_pushes ? 'everyone' : 'off',
    allow_deletions_enforcement_level: row.allow_deletions ? 'everyone' : 'off',
    merge_queue_enforcement_level: 'off',
    required_deployments_enforcement_level: 'off',
    required_conversation_resolution_level: level(row.required_conversation_resolution),
    authorized_actors_only: row.restricts_pushes,
    authorized_actor_names: pushers.map(({ name }) => name).sort(),
  };
}

type Rule = Awaited<ReturnType<typeof presentRule>>;

/** The former values of the changed fields, without the time of the change. */
const changesOf = (before: Rule, after: Rule) =>
  Object.fromEntries(
    Object.entries(before)
      .filter(([name, value]) => name !== 'updated_at' && !isDeepStrictEqual(value, after[name as keyof Rule]))
      .map(([name, value]) => [name, { from: value }]),
  );

const ruleEvents = (context: PayloadScope, event: EventScope, { action, was, is }: { action: string } & Partial<Was & Is>) =>
  aboutRepository(context, event, async () => {
    const [before, after] = await Promise.all([was && presentRule(context, was), is && presentRule(context, is)]);
    const changes = before && after ? { changes: changesOf(before, after) } : {};
    return [{ type: ruleEvent, action, body: { rule: after ?? before, ...changes } }];
  });

export const branchProtectionEvents = eventKinds({
  'branch_protection.created': payloadBuilder([ruleEvent], (event, context) =>
    ruleEvents(context, event, { action: 'created', ...event.data }),
  ),
  'branch_protection.edited': payloadBuilder([ruleEvent], (event, context) =>
    ruleEvents(context, event, { action: 'edited', ...event.data }),
  ),
  'branch_protection.deleted': payloadBuilder([ruleEvent], (event, context) =>
    ruleEvents(context, event, { action: 'deleted', ...event.data }),
  ),
});
