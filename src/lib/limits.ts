import { availableParallelism } from 'node:os';

const kibi = 1024;
const mebi = 1024 * kibi;
const seconds = 1_000;
const minutes = 60 * seconds;

type Unit = 'bytes' | 'milliseconds' | 'bytes a second' | 'count';

/** One bound on what a caller may take of the server. */
export type Limit = {
  readonly value: number;
  readonly unit: Unit;
  /** What is bounded. */
  readonly of: string;
  /** What happens past it. */
  readonly past: string;
  /** How the value is written in the documentation, where it depends on the machine. */
  readonly shown?: string;
};

/**
 * Every bound on the bytes, the memory, the time and the number of things that a caller may take. `docs/limits.md` is made from this
 * table. Values reach the code by `Services.resourceLimits` and `GitStore.limits`, so that tests can open a server with small ones.
 */
export const limitTable = {
  requests: {
    body: { value: 1 * mebi, unit: 'bytes', of: 'the body of a request', past: '413' },
    fileBody: {
      value: 40 * mebi,
      unit: 'bytes',
      of: 'the body of a request that carries a file (blobs, contents, trees)',
      past: '413',
    },
    /** Bytes. */
    bodiesTogether: {
      value: 256 * mebi,
      unit: 'bytes',
      of: 'all bodies that one process holds at once',
      past: 'further ones wait; 503 after the time for waiting',
    },
    bodyTime: { value: 30 * seconds, unit: 'milliseconds', of: 'a body to arrive', past: '408, and the connection is closed' },
    concurrent: {
      value: 40,
      unit: 'count',
      of: 'requests of the API that one process answers at once',
      past: 'further ones wait',
    },
    concurrentPerCaller: {
      value: 10,
      unit: 'count',
      of: 'requests of one account, app or installation (or address, for those who are not signed in) that are answered at once',
      past: 'further ones wait',
    },
    concurrentAnonymous: {
      value: 15,
      unit: 'count',
      of: 'requests that are answered at once for all who are not signed in',
      past: 'further ones wait',
    },
    waiting: { value: 100, unit: 'count', of: 'requests of one caller that wait', past: '429 with Retry-After' },
    waitingTime: {
      value: 30 * seconds,
      unit: 'milliseconds',
      of: 'a request to wait for its turn',
      past: '503 with Retry-After',
    },
  },
  git: {
    commands: {
      value: 4 * availableParallelism(),
      shown: '4 for each core',
      unit: 'count',
      of: 'short git commands (reads and writes of the API) that run at once',
      past: 'further ones wait',
    },
    commandsPerCaller: {
      value: 2 * availableParallelism(),
      shown: '2 for each core',
      unit: 'count',
      of: 'short git commands that run at once for one caller',
      past: 'further ones wait',
    },
    commandsAnonymous: {
      value: 2 * availableParallelism(),
      shown: '2 for each core',
      unit: 'count',
      of: 'short git commands that run at once for all who are not signed in',
      past: 'further ones wait',
    },
    transfers: {
      value: 8 * availableParallelism(),
      shown: '8 for each core',
      unit: 'count',
      of: 'clones, fetches, pushes, archives and imports that run at once',
      past: 'further ones wait',
    },
    transfersPerCaller: {
      value: 4 * availableParallelism(),
      shown: '4 for each core',
      unit: 'count',
      of: 'transfers that run at once for one caller',
      past: 'further ones wait',
    },
    transfersAnonymous: {
      value: 4 * availableParallelism(),
      shown: '4 for each core',
      unit: 'count',
      of: 'transfers that run at once for all who are not signed in',
      past: 'further ones wait',
    },
    waiting: {
      value: 200,
      unit: 'count',
      of: "one caller's git processes that wait for their turn",
      past: '429 with Retry-After',
    },
    waitingTime: {
      value: 1 * minutes,
      unit: 'milliseconds',
      of: 'a git process to wait for its turn',
      past: '503 with Retry-After',
    },
    commandTime: { value: 30 * seconds, unit: 'milliseconds', of: 'a short git command', past: '503' },
    transferTime: { value: 60 * minutes, unit: 'milliseconds', of: 'a transfer', past: 'it is ended' },
    transferIdle: { value: 5 * minutes, unit: 'milliseconds', of: 'a transfer in which no bytes move', past: 'it is ended' },
    output: { value: 256 * mebi, unit: 'bytes', of: 'the output of a short git command', past: '413' },
    object: { value: 100 * mebi, unit: 'bytes', of: 'one object that is read into memory', past: '413' },
    push: { value: 4096 * mebi, unit: 'bytes', of: 'one push', past: '413' },
    readers: { value: 32, unit: 'count', of: 'object readers that stay open', past: 'the one that was idle longest is closed' },
    readerIdle: { value: 30 * seconds, unit: 'milliseconds', of: 'an unused object reader', past: 'it is closed' },
  },
  webhooks: {
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
  },
  names: {
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
  },
} as const satisfies Record<string, Record<string, Limit>>;

type Table = typeof limitTable;

/** The values in force, by group and name. */
export type ResourceLimits = { readonly [Group in keyof Table]: { readonly [Name in keyof Table[Group]]: number } };

/** Values that replace those of the table, for tests and for what operators set. */
export type LimitOverrides = { readonly [Group in keyof Table]?: Partial<ResourceLimits[Group]> };

const valuesOf = (group: Record<string, Limit>): Record<string, number> =>
  Object.fromEntries(Object.entries(group).map(([name, { value }]) => [name, value]));

/** The values of the table, or others in their place. */
export const resourceLimits = (overrides: LimitOverrides = {}): ResourceLimits =>
  Object.fromEntries(
    Object.entries(limitTable).map(([group, limits]) => [group, { ...valuesOf(limits), ...overrides[group as keyof Table] }]),
  ) as ResourceLimits; // built from the table's own keys
