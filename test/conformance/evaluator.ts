import { type Cell, factsOf, placeOf } from '#test/access/cells.ts';
import { type Facts, naive } from '#test/access/naive.ts';
import { requirementOf } from '#test/access/requirements.ts';

/** The documents' result for a request: access is granted, or it is refused with a status. */
export type Expected = 'passes' | 401 | 403 | 404;

type Route = { readonly method: string; readonly path: string };

const statuses = { allowed: 'passes', unauthenticated: 401, forbidden: 403, not_found: 404 } as const;

/** The decision of documents 1 to 3 about a request, independent of the declarations. */
export function expectedOf(route: Route, cell: Cell, more: Partial<Facts> = {}): Expected {
  const facts = { ...factsOf(cell, placeOf(route.path)), ...more };
  const { kind, org } = facts;
  if (route.path.startsWith('/teams/{team_id}')) {
    // The id of a team discloses nothing about its organization to outsiders.
    if (kind === 'none') return 401;
    if (!org?.reached || (org.role === undefined && kind !== 'installation')) return 404;
  }
  return statuses[naive(requirementOf(route), facts, route.method !== 'GET')];
}
