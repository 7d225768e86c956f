import type { Refusal, RefusalKind } from '#lib/refusal.ts';

/** The one table of statuses (document 1, Errors). */
const statuses: Record<RefusalKind, number> = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  not_acceptable: 415,
  conflict: 409,
  gone: 410,
  too_large: 413,
  unsupported_media: 415,
  invalid: 422,
  rate_limited: 403,
  unavailable: 503,
};

export type ErrorBody = { message: string; errors?: Refusal['errors']; documentation_url: string; status: string };

export const statusOf = (refusal: Refusal): number => statuses[refusal.kind];

/** The body of an error reply: `{message, errors?, documentation_url, status}`. */
export const errorBody = (status: number, message: string, documentation: string, errors: Refusal['errors'] = []): ErrorBody => ({
  message,
  ...(errors.length > 0 ? { errors } : {}),
  documentation_url: documentation,
  status: String(status),
});
