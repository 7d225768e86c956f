// The server's advisories about packages.
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pagesAndCursors } from '#endpoint/paging.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { globalFilterOf } from './global-filters.ts';
import { listGlobalAdvisories } from './global-store.ts';
import { globalAdvisory } from './path-resources.ts';
import { presentGlobalAdvisories } from './present-global.ts';
import { GlobalAdvisory, GlobalAdvisoryQuery } from './schemas.ts';

const access = { permission: { none: 'public' } } as const;

export const listAdvisoriesOfAll = endpoint({
  id: 'security-advisories/list-global-advisories',
  method: 'GET',
  path: '/advisories',
  summary: 'List global security advisories',
  access,
  refuses: [422],
  query: GlobalAdvisoryQuery,
  paging: pagesAndCursors({ isUncounted: true }),
  replies: { 200: Type.Array(GlobalAdvisory) },
  async handle({ scope, db, query, page }) {
    const filter = await globalFilterOf(db, query);
    if (!filter) return { rows: [], total: 0 };
    return mapRows(await listGlobalAdvisories(db, filter, page), (rows) => presentGlobalAdvisories(scope, rows));
  },
});

export const getAdvisoryOfAll = endpoint({
  id: 'security-advisories/get-global-advisory',
  method: 'GET',
  path: '/advisories/{advisory_id}',
  resources: [globalAdvisory],
  summary: 'Get a global security advisory',
  access,
  replies: { 200: GlobalAdvisory },
  async handle({ scope, at }) {
    return firstOrNotFound(await presentGlobalAdvisories(scope, [at.globalAdvisory]));
  },
});
