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
    formBody: { value: 64 * kibi, unit: 'bytes', of: 'a form of signing in, or of OAuth', past: '413' },
    bodyDepth: { value: 64, unit: 'count', of: 'lists and objects of a body inside each other', past: '400' },
    bodyValues: { value: 20_000, unit: 'count', of: 'values in a body', past: '413' },
    fileBodyValues: {
      value: 100_000,
      unit: 'count',
      of: 'values in a body that carries a file; an entry of a new tree has five',
      past: '413',
    },
    queryParameters: { value: 200, unit: 'count', of: 'parameters of a query', past: '400' },
    bodiesTogether: {
      value: 256 * mebi,
      unit: 'bytes',
      of: 'all bodies that one process holds at once',
      past: 'further ones wait',
    },
    bodiesPerCaller: {
      value: 80 * mebi,
      unit: 'bytes',
      of: 'all bodies of one caller that one process holds at once',
      past: 'further ones wait',
    },
    bodiesAnonymous: {
      value: 32 * mebi,
      unit: 'bytes',
      of: 'all bodies that one process holds at once for those who are not signed in',
      past: 'further ones wait',
    },
    bodyTime: {
      value: 30 * seconds,
      unit: 'milliseconds',
      of: 'a body to arrive, beside the time that it takes at `requests.bodyRate`',
      past: '408, and the connection is closed',
    },
    bodyRate: { value: 64 * kibi, unit: 'bytes a second', of: 'the least that a large body arrives by', past: '408, as above' },
    discarded: {
      value: 1 * mebi,
      unit: 'bytes',
      of: 'a refused body that are read and thrown away, so that its sender comes to read the refusal',
      past: 'the connection is closed',
    },
    discardTime: {
      value: 5 * seconds,
      unit: 'milliseconds',
      of: 'throwing away a refused body',
      past: 'the connection is closed',
    },
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
