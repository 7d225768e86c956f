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
    connections: { value: 4_096, unit: 'count', of: 'connections of one process', past: 'further ones are closed at once' },
    connectionsPerAddress: {
      value: 512,
      unit: 'count',
      of: 'connections of one address to one process (but trusted proxies)',
      past: 'further ones are closed at once',
    },
    headersTime: {
      value: 20 * seconds,
      unit: 'milliseconds',
      of: 'the first line and the headers of a request to arrive',
      past: '408, and the connection is closed',
    },
    idleConnection: { value: 72 * seconds, unit: 'milliseconds', of: 'a connection between two requests', past: 'it is closed' },
    perConnection: {
      value: 10_000,
      unit: 'count',
      of: 'requests over one connection',
      past: 'it is closed with the last reply',
    },
    replyIdle: {
      value: 30 * seconds,
      unit: 'milliseconds',
      of: 'a reply of which the client reads nothing',
      past: 'the connection is closed',
    },
    replyRate: {
      value: 32 * kibi,
      unit: 'bytes a second',
      of: 'the slowest reading of a reply (for as long as replyIdle, it may be slower)',
      past: 'the connection is closed',
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
  oauth: {
    requests: {
      value: 5_000,
      unit: 'count',
      of: 'requests in an hour by which one address signs in on the web and authorizes apps and devices (with rate limits on)',
      past: '429 with Retry-After',
    },
    body: { value: 64 * kibi, unit: 'bytes', of: 'the form of such a request', past: '413' },
    deviceCodes: {
      value: 50,
      unit: 'count',
      of: 'device codes that one address asks for in 15 minutes',
      past: '429 with Retry-After',
    },
    deviceCodesOfApp: {
      value: 5_000,
      unit: 'count',
      of: 'device codes that are asked for in 15 minutes for one app',
      past: '429 with Retry-After',
    },
    wrongPasswords: {
      value: 20,
      unit: 'count',
      of: 'wrong passwords of one address in 15 minutes',
      past: '429 with Retry-After',
    },
    wrongPasswordsOfUser: {
      value: 100,
      unit: 'count',
      of: 'wrong passwords for one user name in 15 minutes',
      past: '429 with Retry-After',
    },
    wrongUserCodes: {
      value: 20,
      unit: 'count',
      of: 'codes of devices that one account types in 15 minutes',
      past: '429 with Retry-After',
    },
    sessions: { value: 50, unit: 'count', of: 'sessions on the web of one account', past: 'the oldest ends' },
    passwords: { value: 2, unit: 'count', of: 'passwords that are checked at once', past: 'further ones wait' },
    passwordsPerCaller: {
      value: 1,
      unit: 'count',
      of: 'passwords that are checked at once for one address',
      past: 'further ones wait',
    },
    keys: {
      value: 1,
      unit: 'count',
      of: 'pairs of keys that are made at once, for apps from manifests',
      past: 'further ones wait',
    },
    waiting: { value: 10, unit: 'count', of: 'passwords or pairs of keys of one caller that wait', past: '429 with Retry-After' },
    waitingTime: {
      value: 15 * seconds,
      unit: 'milliseconds',
      of: 'a password or a pair of keys to wait for its turn',
      past: '503 with Retry-After',
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
