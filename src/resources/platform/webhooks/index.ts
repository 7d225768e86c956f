export { listSilentHooks } from './store.ts';
export { type WebhookEvents, webhookEventsOf } from './webhook-events.ts';
