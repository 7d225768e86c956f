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
    transferRate: {
      value: 8 * kibi,
      unit: 'bytes a second',
      of: 'a client that git waits for, at least',
      past: 'the transfer is ended after git.transferRateTime',
    },
    transferRateTime: {
      value: 1 * minutes,
      unit: 'milliseconds',
      of: 'the time in which a transfer waits for its client, over which its rate is measured',
      past: 'the transfer is ended, unless enough bytes moved',
    },
    advertisement: {
      value: 64 * kibi,
      unit: 'bytes',
      of: 'a list of refs for a Git client that is answered as a short command',
      past: 'it is answered as a transfer',
    },
    commandMemory: {
      value: 256 * mebi,
      unit: 'bytes',
      of: 'the memory of a short git command or an object reader, without files that it maps',
      past: '413',
    },
    transferMemory: {
      value: 512 * mebi,
      unit: 'bytes',
      of: 'the memory of each process of a transfer, without files that it maps',
      past: '413; the report of a push says so',
    },
    mappedFiles: {
      value: 8192 * mebi,
      unit: 'bytes',
      of: 'the address space of a git process beyond its memory, for packs and indexes',
      past: '413',
    },
    commandProcessorTime: {
      value: 10 * seconds,
      unit: 'milliseconds',
      of: 'the processor time of a short git command',
      past: '503',
    },
    transferProcessorTime: {
      value: 30 * minutes,
      unit: 'milliseconds',
      of: 'the processor time of each process of a transfer',
      past: 'it is ended',
    },
    output: { value: 32 * mebi, unit: 'bytes', of: 'the output of a short git command', past: '413' },
    object: {
      value: 16 * mebi,
      unit: 'bytes',
      of: 'one object that is read into memory; larger files are streamed',
      past: '413',
    },
    folder: { value: 2 * mebi, unit: 'bytes', of: 'one tree object that is read into memory', past: '413' },
    pushHead: { value: 16 * mebi, unit: 'bytes', of: 'what a push says before its pack', past: '413' },
    listing: {
      value: 7 * mebi,
      unit: 'bytes',
      of: 'the listing of a tree, as git writes it',
      past: 'it is cut, and says truncated',
    },
    listedRefs: { value: 20_000, unit: 'count', of: 'refs of a list that has no pages', past: '413' },
    archiveFiles: { value: 500_000, unit: 'count', of: 'files and folders of an archive', past: '413' },
    archiveSize: { value: 4096 * mebi, unit: 'bytes', of: 'the files of an archive together', past: '413' },
    indexedFiles: {
      value: 200_000,
      unit: 'count',
      of: 'files of a repository that code search covers',
      past: 'later ones are not found',
    },
    indexedSize: {
      value: 2048 * mebi,
      unit: 'bytes',
      of: 'the files of a repository that code search covers, together',
      past: 'later ones are not found',
    },
    indexedCommits: {
      value: 1_000_000,
      unit: 'count',
      of: 'commits of a repository that commit search covers',
      past: 'older ones are not found',
    },
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
