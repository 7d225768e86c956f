import { kibi, limitGroup, mebi, seconds } from './limit.ts';
import { memoryShare } from './machine.ts';

export const requestLimits = limitGroup('requests', 'Requests of the API', {
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
  queryParameters: { value: 5_000, unit: 'count', of: 'parameters of a query', past: '400' },
  bodiesTogether: {
    value: memoryShare(256 * mebi, 16),
    shown: '256 MiB, and a sixteenth of the memory at most',
    unit: 'bytes',
    of: 'all bodies that one process holds at once',
    past: 'further ones wait',
  },
  bodiesPerCaller: {
    value: memoryShare(80 * mebi, 24),
    shown: '80 MiB, and a twenty-fourth of the memory at most',
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
  bodiesPerAddress: {
    value: 8 * mebi,
    unit: 'bytes',
    of: 'all bodies that one process holds at once for one address that is not signed in',
    past: 'further ones wait',
  },
  bodyTime: {
    value: 30 * seconds,
    unit: 'milliseconds',
    of: 'a body to arrive, beside the time that it takes at `requests.bodyRate`',
    past: '408, and the connection is closed',
  },
  bodyRate: { value: 64 * kibi, unit: 'bytes a second', of: 'the least that a large body arrives by', past: '408, as above' },
  bodiesContendedTime: {
    value: 1 * seconds,
    unit: 'milliseconds',
    of: 'a body to wait for its turn while others arrive slowly',
    past: 'the slowest of them is refused, if it is slower than requests.bodiesContendedRate',
  },
  bodiesContendedRate: {
    value: 256 * kibi,
    unit: 'bytes a second',
    of: 'the least that a body arrives by while other callers wait for their turn',
    past: '408 for them, and the connection is closed',
  },
  accessTime: {
    value: 1 * seconds,
    unit: 'milliseconds',
    of: 'a decision about access to hold, while a request waits or its body arrives',
    past: 'it is made again, for the credential as it is then',
  },
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
    of: 'requests of one account (or address, for those who are not signed in) that are answered at once',
    past: 'further ones wait',
  },
  concurrentSpare: {
    value: 20,
    unit: 'count',
    of:
      'requests that could still be answered at once; while there are as many, one who is signed in may have more than ' +
      'its share',
    past: 'further ones of that caller wait',
  },
  concurrentAnonymous: {
    value: 15,
    unit: 'count',
    of: 'requests that are answered at once for all who are not signed in',
    past: 'further ones wait',
  },
  contendedTime: {
    value: 5 * seconds,
    unit: 'milliseconds',
    of: 'a request to wait for its turn while others read their replies slowly',
    past: 'the slowest of these connections is closed, if it is slower than requests.contendedRate',
  },
  contendedRate: {
    value: 64 * kibi,
    unit: 'bytes a second',
    of: 'the slowest reading of a reply while other callers wait for their turn',
    past: 'the connection may be closed for them',
  },
  large: {
    value: 2,
    unit: 'count',
    of:
      'replies that one process makes at once of tens of thousands of items without pages (bills of materials, ' +
      'comparisons of dependencies), one for each caller',
    past: 'further ones wait',
  },
  waiting: { value: 100, unit: 'count', of: 'requests of one caller that wait', past: '429 with Retry-After' },
  waitingTime: {
    value: 30 * seconds,
    unit: 'milliseconds',
    of: 'a request to wait for its turn',
    past: '503 with Retry-After',
  },
  connections: {
    value: 4_096,
    unit: 'count',
    of: 'connections of one process',
    past: 'for a further one, the oldest idle one of the address with most is closed',
  },
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
});
