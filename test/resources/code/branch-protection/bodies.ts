/** The least that a request for a whole protection holds. */
export const nothing = {
  required_status_checks: null,
  enforce_admins: null,
  required_pull_request_reviews: null,
  restrictions: null,
} as const;

/** A protection with all its parts. */
export const everything = {
  required_status_checks: { strict: true, contexts: ['build'] },
  enforce_admins: true,
  required_pull_request_reviews: {},
  restrictions: { users: [], teams: [], apps: [] },
} as const;
