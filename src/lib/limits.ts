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
    pushRefs: { value: 20_000, unit: 'count', of: 'refs that one push names', past: 'the push is refused, and git says why' },
    pushRefBytes: {
      value: 8 * mebi,
      unit: 'bytes',
      of: 'the names and objects of the refs of one push',
      past: 'the push is refused, and git says why',
    },
    refName: { value: 1_024, unit: 'bytes', of: 'the full name of a ref', past: 'the ref is refused' },
    refNameParts: { value: 50, unit: 'count', of: 'parts of the name of a ref, between slashes', past: 'the ref is refused' },
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
