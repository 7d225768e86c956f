import type { EventKind } from '#events/catalogue.ts';
import type { Recorded } from '#events/subscription.ts';
import type { EventName } from '#webhook-delivery/event-names.ts';
import { installationPayloads } from './installations.ts';
import { issuePayloads } from './issues.ts';
import { labelPayloads, milestonePayloads } from './labels.ts';
import {
  commonOf,
  type PayloadBuilder,
  type PayloadBuilders,
  type PayloadContext,
  type WebhookEvent,
} from './payload-builder.ts';
import { memberPayloads } from './people.ts';
import { refPayloads } from './refs.ts';
import { repositoryPayloads } from './repositories.ts';
import { teamPayloads } from './teams.ts';

/** How each kind of event becomes webhook events. The public API has none for the kinds that are missing. */
const payloadBuilders: PayloadBuilders = {
  ...repositoryPayloads,
  ...refPayloads,
  ...memberPayloads,
  ...teamPayloads,
  ...issuePayloads,
  ...labelPayloads,
  ...milestonePayloads,
  ...installationPayloads,
};

/** The kinds that become webhook events. */
export const webhookKinds = Object.keys(payloadBuilders) as EventKind[]; // the table's own keys

const payloadBuilderOf = (event: Recorded): PayloadBuilder<never> | undefined =>
  payloadBuilders[event.kind] as PayloadBuilder<never> | undefined; // the kind binds both

/** The names of the webhook events that an event may become. */
export const eventNamesOf = (event: Recorded): readonly EventName[] => payloadBuilderOf(event)?.names ?? [];

/** The webhook events that an event becomes. The bodies lack only what depends on the hook, as its installation. */
export async function buildWebhookEvents(event: Recorded, context: PayloadContext): Promise<readonly WebhookEvent[]> {
  const built = (await payloadBuilderOf(event)?.build(event as never, context)) ?? []; // a builder of this event's kind
  if (built.length === 0) return [];
  const common = await commonOf(context, event);
  return built.map(({ name, action, body }) => ({
    name,
    action,
    body: { ...(action === null ? {} : { action }), ...body, ...common },
  }));
}
