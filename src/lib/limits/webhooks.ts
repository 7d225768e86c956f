// Deliveries of webhooks, and lookups of their hosts.
import { kibi, type LimitGroup, mebi, seconds } from './limit.ts';

export const webhooks = {
  concurrent: {
    value: 768,
    unit: 'count',
    of: 'deliveries that one process has under way at once (half of them for failing webhooks, three quarters for those and new ones)',
    past: 'further ones wait',
  },
  concurrentPerOwner: {
    value: 96,
    unit: 'count',
    of: 'deliveries under way at once for one owner, the account in which it happened (with the same parts)',
    past: 'further ones wait',
  },
  concurrentPerHook: {
    value: 64,
    unit: 'count',
    of: 'deliveries under way at once for one webhook (1 at first and while it fails, twice as many after each success)',
    past: 'further ones wait',
  },
  sendTime: {
    value: 10 * seconds,
    unit: 'milliseconds',
    of: 'a receiver to answer completely',
    past: 'the delivery is recorded with 504',
  },
  reply: { value: 64 * kibi, unit: 'bytes', of: "a receiver's reply that are kept", past: 'the rest is not read' },
  repliesPerOwner: {
    value: 64 * mebi,
    unit: 'bytes',
    of: "replies that one process keeps of an owner's receivers in an hour",
    past: 'their statuses alone are kept',
  },
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
  payloadsTogether: {
    value: 64 * mebi,
    unit: 'bytes',
    of: 'payloads of all deliveries that one process has under way (and one more)',
    past: 'further ones wait',
  },
  payloadsPerOwner: {
    value: 16 * mebi,
    unit: 'bytes',
    of: "payloads of one owner's deliveries under way (and one more)",
    past: 'further ones wait',
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
} as const satisfies LimitGroup;

export const names = {
  lookups: {
    value: 2,
    unit: 'count',
    of: "names that are looked up at once by the system, after DNS doesn't know them",
    past: 'further ones wait',
  },
  waiting: { value: 100, unit: 'count', of: 'names that wait for that', past: 'they are taken as unknown' },
  lookupTime: {
    value: 5 * seconds,
    unit: 'milliseconds',
    of: 'the name of a receiver to be looked up',
    past: 'the delivery is recorded with 502',
  },
  kept: {
    value: 5 * seconds,
    unit: 'milliseconds',
    of: 'the addresses of a name to be kept',
    past: 'they are looked up again',
  },
} as const satisfies LimitGroup;
