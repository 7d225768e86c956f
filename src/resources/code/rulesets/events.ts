import type { Id } from '#lib/id.ts';
import { revived, type Snapshot } from '#lib/snapshot.ts';
import {
  aboutRepository,
  type EventScope,
  eventKinds,
  type PayloadScope,
  payloadBuilder,
  type WebhookEvent,
  webhookEventType,
} from '#resources/event-kinds.ts';
import { findAccountById } from '#resources/identity/accounts/index.ts';
import type { RulesetChanges } from './changes.ts';
import { presentRuleset, type RulesetParent } from './present.ts';
import { findRuleset, type RulesetRow } from './store.ts';

type Ruleset = Id<'rulesets'>;

declare module '#events/kinds.ts' {
  interface EventData {
    'ruleset.created': { ruleset: Ruleset };
    'ruleset.edited': { ruleset: Ruleset; changes: RulesetChanges };
    'ruleset.deleted': { was: Snapshot<RulesetRow> };
  }
}

const rulesetEvent = webhookEventType({ name: 'repository_ruleset', permission: 'administration:read', hooks: 'all' });

type Built = { action: string; row: RulesetRow | undefined; more?: object };

/** A webhook event about a ruleset of a repository or an organization. It doesn't include bypass actors. */
async function rulesetPayload(
  context: PayloadScope,
  event: EventScope,
  { action, row, more }: Built,
): Promise<readonly WebhookEvent[]> {
  if (!row) return [];
  const eventsFor = (parent: RulesetParent): readonly WebhookEvent[] => {
    const repository_ruleset = presentRuleset(context.links, parent, row);
    return [{ type: rulesetEvent, action, body: { repository_ruleset, ...more } }];
  };
  if (event.repository !== undefined) return aboutRepository(context, event, (repo) => eventsFor({ repo }));
  const org = await findAccountById(context.db, event.owner);
  return org ? eventsFor({ org }) : [];
}

export const rulesetEvents = eventKinds({
  'ruleset.created': payloadBuilder([rulesetEvent], async (event, context) =>
    rulesetPayload(context, event, { action: 'created', row: await findRuleset(context.db, event.data.ruleset) }),
  ),
  'ruleset.edited': payloadBuilder([rulesetEvent], async (event, context) => {
    const { ruleset, changes } = event.data;
    return rulesetPayload(context, event, { action: 'edited', row: await findRuleset(context.db, ruleset), more: { changes } });
  }),
  'ruleset.deleted': payloadBuilder([rulesetEvent], async (event, context) =>
    rulesetPayload(context, event, { action: 'deleted', row: revived(event.data.was, ['created_at', 'updated_at']) }),
  ),
});
