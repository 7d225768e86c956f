import type { Id } from '#lib/id.ts';
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
import { presentProperty } from './present.ts';
import type { PropertyValue } from './schemas.ts';
import { findProperty } from './store.ts';

declare module '#events/kinds.ts' {
  interface EventData {
    'custom_property.created': { property: Id<'custom_properties'> };
    'custom_property.updated': { property: Id<'custom_properties'> };
    'custom_property.deleted': { name: string };
    /** The changed values of a repository, in the same order; null if the repository had or has no value. */
    'custom_property_values.updated': { from: PropertyValue[]; to: PropertyValue[] };
  }
}

const permission = 'organization_custom_properties:read';
const ofDefinitions = webhookEventType({ name: 'custom_property', permission, hooks: 'organizations' });
const ofValues = webhookEventType({ name: 'custom_property_values', permission, hooks: 'all' });

async function definitionPayload(
  { db, links }: PayloadScope,
  { owner }: EventScope,
  action: string,
  id: Id<'custom_properties'>,
): Promise<readonly WebhookEvent[]> {
  const [org, property] = await Promise.all([findAccountById(db, owner), findProperty(db, id)]);
  if (!org || !property) return [];
  const { default_value, ...presented } = presentProperty(links, org, property);
  // The public API's schema of the payload doesn't allow null here.
  const definition = { ...presented, ...(default_value === null ? {} : { default_value }) };
  return [{ type: ofDefinitions, action, body: { definition } }];
}

export const customPropertyEvents = eventKinds({
  'custom_property.created': payloadBuilder([ofDefinitions], (event, context) =>
    definitionPayload(context, event, 'created', event.data.property),
  ),
  'custom_property.updated': payloadBuilder([ofDefinitions], (event, context) =>
    definitionPayload(context, event, 'updated', event.data.property),
  ),
  'custom_property.deleted': payloadBuilder([ofDefinitions], async ({ data: { name } }) => [
    { type: ofDefinitions, action: 'deleted', body: { definition: { property_name: name } } },
  ]),
  'custom_property_values.updated': payloadBuilder([ofValues], (event, context) => {
    const { from, to } = event.data;
    const body = { new_property_values: to, old_property_values: from };
    return aboutRepository(context, event, () => [{ type: ofValues, action: 'updated', body }]);
  }),
});
