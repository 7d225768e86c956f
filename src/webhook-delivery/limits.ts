import { kibi, limitGroup, mebi, seconds } from '#lib/limits.ts';

export const deliveryLimits = limitGroup('webhooks', 'Webhooks', {
  concurrent: {
    value: 768,
    unit: 'count',
    of:
      'deliveries that one process has under way at once (half of them for failing webhooks, three quarters for those ' +
      'and new ones)',
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
});
