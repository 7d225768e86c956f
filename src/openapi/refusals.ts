import { type Endpoint, isAboutPulls } from '#endpoint/endpoint.ts';

/** The reasons for error statuses. */
export const refusalReasons = {
  400: 'The body is not JSON, or the version header or a cursor is not valid',
  401: 'A credential is needed, or the one given is not valid',
  403: 'The credential or its holder may not do this, or a rate limit is exceeded',
  404: 'It does not exist, or the caller may not know of it',
  405: 'It can not be merged as it is',
  408: 'The body took too long to arrive',
  409: 'Something is in the way, or another request changed it at the same time',
  410: 'It is switched off here',
  412: 'It has another version than the one that the request names',
  413: 'The body is too large or holds too many values, or what is asked for takes more than a limit allows',
  415: 'The body is not of a type that is read here, which is JSON, or a text where that is said, and not compressed',
  422: 'A value is not valid; `errors` names each field',
  429: 'Too many requests of the caller wait, or too much was asked for within an hour; `Retry-After` tells when to come back',
  503: 'The database, or Git, does not answer in time',
} as const;
type RefusalStatus = keyof typeof refusalReasons;

/** The error statuses of an endpoint: those that follow from its declaration, and those that its rules add. */
export function refusalsOf({ path, body, query, carries, refuses = [] }: Endpoint): RefusalStatus[] {
  const hasBody = body !== undefined || carries === 'text' || carries === 'bytes';
  const applies: Record<RefusalStatus, boolean> = {
    400: true,
    401: true,
    403: true,
    404: path.includes('{'),
    405: false,
    408: hasBody,
    409: false,
    410: path.startsWith('/repos/{owner}/{repo}/issues') || isAboutPulls({ path }), // a repository can disable both
    412: false,
    // the size of the request doesn't limit the size of a repository's data
    413: hasBody || path.startsWith('/repos/{owner}/{repo}/'),
    415: hasBody,
    422: body !== undefined || query !== undefined,
    429: true,
    503: true,
  };
  const statuses = Object.keys(refusalReasons).map(Number) as RefusalStatus[];
  return statuses.filter((status) => applies[status] || refuses.some((added) => added === status));
}
