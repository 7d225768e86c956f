import { NoResultError } from 'kysely';
import { isStatementTimeout } from '#database/connect.ts';
import type { databaseLimits } from '#database/limits.ts';
import type { GitError, GitErrorKind } from '#git/errors.ts';
import type { LimitValues } from '#lib/limits.ts';
import { type FieldCode, type FieldError, Refusal, type RefusalKind } from '#lib/refusal.ts';
import { emitField } from '#vocabulary/body.ts';
import type { Vocabulary } from '#vocabulary/words.ts';

/** The HTTP status of each kind of refusal (document 1, Errors). */
const statuses: Record<RefusalKind, number> = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  not_allowed: 405,
  too_large: 413,
  unsupported_media: 415,
  precondition_failed: 412,
  invalid: 422,
  rate_limited: 403,
  too_many: 429,
  timed_out: 408,
  unavailable: 503,
  bad_gateway: 502,
};

/** The refusals for Git errors. Only `failed` is a fault of the server. */
const gitRefusals: Record<Exclude<GitErrorKind, 'failed'>, RefusalKind> = {
  'not-found': 'not_found',
  conflict: 'conflict',
  timeout: 'unavailable',
  'too-large': 'too_large',
  invalid: 'invalid',
  aborted: 'bad_request',
  unavailable: 'unavailable',
};

/** The refusal for a Git error; undefined for a fault of the server. */
export const refusalOfGit = ({ kind, message, limit }: GitError): Refusal | undefined =>
  kind === 'failed'
    ? undefined
    : new Refusal(gitRefusals[kind], kind === 'not-found' ? 'Not Found' : message, [], limit === undefined ? {} : { limit });

/** The refusal of a request that took PostgreSQL too long; undefined for other errors. */
export function refusalOfTimeout(error: unknown, { statementTime }: LimitValues<typeof databaseLimits>): Refusal | undefined {
  if (!isStatementTimeout(error)) return undefined;
  const limit = 'database.statementTime';
  const message =
    `The database worked on this for longer than the ${statementTime / 1_000} s of the limit ${limit}. Please ask for ` +
    'less at once.';
  return new Refusal('unavailable', message, [], { limit, retryAfter: 60 });
}

type ErrorBody = {
  message: string;
  errors?: readonly FieldError[] | readonly string[];
  documentation_url: string;
  status: string;
};

export const statusOf = (refusal: Refusal): number => statuses[refusal.kind];

/**
 * PostgreSQL's codes for conflicts between transactions: unique violation, foreign key violation, deadlock, serialization
 * failure.
 */
const conflictCodes: ReadonlySet<unknown> = new Set(['23505', '23503', '40P01', '40001']);

/** Whether a change failed because a concurrent request changed the same rows after its checks. */
export const isWriteConflict = (error: unknown): boolean =>
  error instanceof NoResultError || (error instanceof Error && 'code' in error && conflictCodes.has(error.code));

/** The message of a 503 while the database is unreachable. */
export const unavailableMessage = 'The server cannot answer just now. Please try again.';

/** The message of a 503 while the disk is full. Only the log has details. */
export const diskFullMessage = 'The server has no disk space left. Please tell its administrator.';

/** Field errors with the field names of the vocabulary. */
export const emitErrors = (vocabulary: Vocabulary, errors: Refusal['errors'] = []): FieldError[] =>
  vocabulary === 'service' ? errors : errors.map((error) => ({ ...error, field: emitField(vocabulary, error.field) }));

const codeTexts: Readonly<Record<FieldCode, string>> = {
  missing: 'does not exist',
  missing_field: 'is missing',
  invalid: 'is invalid',
  already_exists: 'already exists',
  unprocessable: 'can not be processed',
  too_large: 'is too large',
  custom: 'is invalid',
};

/** Field errors as texts, each prefixed with its field and a colon. */
export const textsOf = (errors: readonly FieldError[]): string[] =>
  errors.map(({ field, code, message = codeTexts[code] }) => {
    const text = message.startsWith(`${field} `) ? message.slice(field.length + 1) : message;
    return field === '' ? message : `${field}: ${text}`;
  });

/** The body of an error reply: `{message, errors?, documentation_url, status}`. */
export const errorBody = (
  status: number,
  message: string,
  documentation: string,
  errors: NonNullable<ErrorBody['errors']> = [],
): ErrorBody => ({
  message,
  ...(errors.length > 0 ? { errors } : {}),
  documentation_url: documentation,
  status: String(status),
});
