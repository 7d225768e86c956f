/** Why a request is refused, in the domain's words. `server/refusals.ts` alone knows the statuses. */
const refusalKinds = [
  'bad_request',
  'unauthenticated',
  'forbidden',
  'not_found',
  'conflict',
  'gone',
  'too_large',
  'unsupported_media',
  'invalid',
  'rate_limited',
  'too_many',
  'timed_out',
  'unavailable',
] as const;
export type RefusalKind = (typeof refusalKinds)[number];

/** The codes of a field error, as the public API documents them. */
export type FieldCode = 'missing' | 'missing_field' | 'invalid' | 'already_exists' | 'unprocessable' | 'too_large' | 'custom';

export type FieldError = { resource: string; field: string; code: FieldCode; message?: string };

/** A refusal is an answer, not a fault: it is thrown by rules, and reaches the client with its message. */
export class Refusal extends Error {
  readonly kind: RefusalKind;
  readonly errors: FieldError[];
  /** The limit of `lib/limits.ts` that was exceeded, as `git.commands`; metrics count refusals by it. */
  readonly limit: string | undefined;
  /** Seconds after which the same request may be answered. */
  readonly retryAfter: number | undefined;

  constructor(kind: RefusalKind, message: string, errors: FieldError[] = [], more: { limit?: string; retryAfter?: number } = {}) {
    super(message);
    this.name = 'Refusal';
    this.kind = kind;
    this.errors = errors;
    this.limit = more.limit;
    this.retryAfter = more.retryAfter;
  }
}

/** A value that the schema allows and the domain doesn't. */
export const invalid = (resource: string, field: string, code: FieldCode, message?: string): Refusal =>
  new Refusal('invalid', 'Validation Failed', [
    message === undefined ? { resource, field, code } : { resource, field, code, message },
  ]);

/** Several such values at once. */
export const invalidFields = (errors: FieldError[]): Refusal => new Refusal('invalid', 'Validation Failed', errors);

/** A refusal with a message of its own and no field to blame. */
export const unprocessable = (message: string): Refusal => new Refusal('invalid', message);

/** Absent, or not for this viewer to know of: both read alike (document 1, rule 6; security decision 4). */
export const notFound = (): Refusal => new Refusal('not_found', 'Not Found');

/** What a request names, as a lookup found it; refused where there is no such thing. */
export function orNotFound<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw notFound();
  return thing;
}

/** The one thing of a list. Where it is missing, it was deleted since it was looked up, and so it isn't found. */
export const firstOrNotFound = <Thing>(things: readonly Thing[]): Thing => orNotFound(things[0]);

export const forbidden = (message: string): Refusal => new Refusal('forbidden', message);
export const conflict = (message: string): Refusal => new Refusal('conflict', message);
export const gone = (message: string): Refusal => new Refusal('gone', message);
export const badRequest = (message: string): Refusal => new Refusal('bad_request', message);
export const unauthenticated = (message = 'Requires authentication'): Refusal => new Refusal('unauthenticated', message);
