import { type Family, family } from '#resources/family.ts';
import { deliveryLoop } from '#webhook-delivery/sender.ts';
import * as app from './endpoints/app.ts';
import * as deliveries from './endpoints/deliveries.ts';
import * as hooks from './endpoints/hooks.ts';
import { testEndpoints } from './endpoints/tests.ts';
import { hookEvents } from './events.ts';
import { fanOutWebhooks } from './fan-out.ts';
import { removeOldDeliveries } from './jobs.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';
import { webhookEventsOf } from './webhook-events.ts';

/** Webhooks, which deliver the events of all other families. */
export function webhooks(others: readonly Family[]) {
  const events = webhookEventsOf(others);
  return family({
    name: 'webhooks',
    effect: 'Another server is sent what happens here, is sent it again, or no longer is.',
    page: 'webhooks.md',
    limits,
    interpreters: [{ reads: 'what was stored of bodies and events as JSON', runs: 'steps', modules: ['present.ts'], bounds: [] }],
    schemas,
    endpoints: [hooks, deliveries, testEndpoints(events), app],
    events: hookEvents,
    subscriptions: [fanOutWebhooks(events)],
    jobs: [removeOldDeliveries],
    loops: [deliveryLoop],
  });
}
