import { mebi, moreLimits } from '#lib/limits.ts';

export const webhookLimits = moreLimits('webhooks', {
  payload: {
    value: 25 * mebi,
    unit: 'bytes',
    of: 'one payload',
    past: 'the delivery is recorded with 413, and not sent',
  },
  largePayloads: {
    value: 1024 * mebi,
    unit: 'bytes',
    of: 'payloads over 64 KiB that are stored of what happens at one owner in an hour',
    past: 'further ones over 64 KiB are recorded with 413, and not sent',
  },
  storedPerOwner: {
    value: 1024 * mebi,
    unit: 'bytes',
    of: "payloads and replies of one owner's deliveries that can be looked at, counted every hour",
    past: 'the oldest are removed before their time',
  },
  waitingPerOwner: {
    value: 200_000,
    unit: 'count',
    of: "deliveries that wait for an owner's failing webhooks, counted every hour",
    past: 'the oldest are recorded with 503, and not sent',
  },
  requestedPerHook: {
    value: 1_000,
    unit: 'count',
    of: 'redeliveries and pings of one webhook in an hour (a test of a push counts as 20)',
    past: '429 with Retry-After',
  },
  requestedPerOwner: {
    value: 5_000,
    unit: 'count',
    of: "redeliveries and pings of all of an owner's webhooks in an hour (a test of a push counts as 20)",
    past: '429 with Retry-After',
  },
  hooks: { value: 250, unit: 'count', of: 'webhooks of one organization or repository', past: '422' },
  hooksPerEvent: {
    value: 20,
    unit: 'count',
    of: 'webhooks of one organization or repository that are subscribed to the same event',
    past: '422',
  },
});
