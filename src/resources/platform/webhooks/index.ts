export { type WebhookEvents, webhookEventsOf } from './webhook-events.ts';
