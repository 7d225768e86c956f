/** The kinds of refusals. `server/refusals.ts` maps them to HTTP statuses. */
const refusalKinds = [
  'bad_request',
  'unauthenticated',
  'forbidden',
  'not_found',
  'conflict',
  'gone',
  'not_allowed',
  'too_large',
  'unsupported_media',
  'precondition_failed',
  'invalid',
  'rate_limited',
  'too_many',
  'timed_out',
  'unavailable',
  'bad_gateway',
] as const;
export type RefusalKind = (typeof refusalKinds)[number];

/** The codes of a field error, as the public API documents them. */
export type FieldCode = 'missing' | 'missing_field' | 'invalid' | 'already_exists' | 'unprocessable' | 'too_large' | 'custom';

export type FieldError = { resource: string; field: string; code: FieldCode; message?: string };

/** An error caused by the client, thrown by rules. The client gets its message, and it isn't logged as a fault. */
export class Refusal extends Error {
  readonly kind: RefusalKind;
  readonly errors: FieldError[];
  /** The exceeded limit of `lib/limits.ts`, such as `git.commands`. Metrics count refusals by limit. */
  readonly limit: string | undefined;
  /** Seconds after which the same request may succeed. */
  readonly retryAfter: number | undefined;

  constructor(
    kind: RefusalKind,
    message: string,
    errors: FieldError[] = [],
    /** `cause` is the fault of the server, if any. It only appears in the log. */
    more: { limit?: string; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'Refusal';
    this.kind = kind;
    this.errors = errors;
    this.limit = more.limit;
    this.retryAfter = more.retryAfter;
  }
}

/** A value that the schema allows but the domain doesn't. */
export const invalid = (resource: string, field: string, code: FieldCode, message?: string): Refusal =>
  new Refusal('invalid', 'Validation Failed', [
    message === undefined ? { resource, field, code } : { resource, field, code, message },
  ]);

/** Several such values together. */
export const invalidFields = (errors: FieldError[]): Refusal => new Refusal('invalid', 'Validation Failed', errors);

/**
 * Refuses to switch on features that the server doesn't have. Clients may switch them off, as replies show them.
 * @throws Refusal 422 with the fields
 */
export function refuseSwitchedOn<Field extends string>(
  resource: string,
  wanted: { readonly [Name in Field]?: boolean | undefined },
  fields: readonly Field[],
): void {
  const errors = fields
    .filter((field) => wanted[field] === true)
    .map((field) => ({
      resource,
      field,
      code: 'invalid' as const,
      message: `${field} can't be true: it is no part of this server`,
    }));
  if (errors.length > 0) throw invalidFields(errors);
}

/** A 422 with a message and no fields. */
export const unprocessable = (message: string): Refusal => new Refusal('invalid', message);

/**
 * 404 for resources that don't exist, and for resources that the viewer may not see (document 1, rule 6; security decision 4).
 */
export const notFound = (): Refusal => new Refusal('not_found', 'Not Found');

/** The result of a lookup. @throws Refusal 404 if it is undefined */
export function orNotFound<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw notFound();
  return thing;
}

/**
 * The first row that a statement returned.
 * @throws Refusal 404 if it returned no rows, since the row was deleted after its lookup
 */
export const firstOrNotFound = <Thing>(things: readonly Thing[]): Thing => orNotFound(things[0]);

export const forbidden = (message: string): Refusal => new Refusal('forbidden', message);
export const conflict = (message: string): Refusal => new Refusal('conflict', message);
/** The subject of the request has a different version from the one in the request. */
export const preconditionFailed = (message: string): Refusal => new Refusal('precondition_failed', message);
export const gone = (message: string): Refusal => new Refusal('gone', message);
export const badRequest = (message: string): Refusal => new Refusal('bad_request', message);
export const unauthenticated = (message = 'Requires authentication'): Refusal => new Refusal('unauthenticated', message);
