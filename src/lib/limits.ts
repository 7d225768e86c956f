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
  database: {
    statementTime: {
      value: 10 * seconds,
      unit: 'milliseconds',
      of: 'one statement of a request',
      past: '503; searches reply with `incomplete_results`',
    },
    idleTime: {
      value: 2 * minutes,
      unit: 'milliseconds',
      of: 'a transaction of a request between two of its statements',
      past: 'it is undone; 503',
    },
    jobStatementTime: {
      value: 15 * minutes,
      unit: 'milliseconds',
      of: 'one statement of a background job',
      past: 'the job is tried again later',
    },
    jobIdleTime: {
      value: 60 * minutes,
      unit: 'milliseconds',
      of: 'a transaction of a background job between two of its statements',
      past: 'it is undone, and the job is tried again later',
    },
    preparedText: {
      value: 8 * kibi,
      unit: 'bytes',
      of: 'a statement that PostgreSQL keeps prepared',
      past: 'it is planned anew each time',
    },
    preparedTexts: {
      value: 768 * kibi,
      unit: 'bytes',
      of: 'all statements together that each connection keeps prepared',
      past: 'further ones are planned anew each time',
    },
    preparedSearchTexts: {
      value: 64 * kibi,
      unit: 'bytes',
      of: 'those of searches among them',
      past: 'further ones are planned anew each time',
    },
  },
  issues: {
    labels: { value: 100, unit: 'count', of: 'labels of one issue', past: '422' },
    assignees: { value: 100, unit: 'count', of: 'assignees of one issue', past: '422' },
  },
  lists: {
    refs: { value: 10_000, unit: 'count', of: 'references in one reply', past: '422' },
    labels: { value: 50, unit: 'count', of: 'labels that one list of issues asks for', past: '422' },
    rows: {
      value: 100_000,
      unit: 'count',
      of: 'rows of a list that its pages reach',
      past: 'further pages are empty',
    },
  },
  search: {
    concurrent: {
      value: 10,
      unit: 'count',
      of: 'searches that one process makes at once; at most half of its connections for requests',
      past: 'further ones wait, within their time for searching',
    },
    perCaller: { value: 4, unit: 'count', of: 'searches that are made at once for one caller', past: 'further ones wait' },
    anonymous: {
      value: 5,
      unit: 'count',
      of: 'searches that are made at once for all who are not signed in',
      past: 'further ones wait',
    },
    waiting: { value: 50, unit: 'count', of: 'searches of one caller that wait', past: '429 with Retry-After' },
    text: { value: 256, unit: 'count', of: 'characters of a query beside qualifiers and operators', past: '422' },
    operators: { value: 5, unit: 'count', of: 'operators of a query', past: '422' },
    depth: { value: 5, unit: 'count', of: 'levels of parentheses in a query', past: '422' },
    qualifiers: {
      value: 100,
      unit: 'count',
      of: 'qualifiers of a query; those that name repositories or owners count only with `advanced_search`',
      past: '422',
    },
    lookups: {
      value: 10,
      unit: 'count',
      of: 'qualifiers of a query that need a look into other tables (`field.…`, `good-first-issues`, `help-wanted-issues`)',
      past: '422',
    },
    values: {
      value: 1_000,
      unit: 'count',
      of: 'values of all qualifiers of a query, those in comma lists included',
      past: '422',
    },
    results: { value: 1_000, unit: 'count', of: 'results of a search', past: '422' },
    repositories: {
      value: 4_000,
      unit: 'count',
      of: 'repositories that a search looks into',
      past: 'the ones that were pushed to last are searched',
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
