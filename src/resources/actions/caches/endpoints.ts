// The caches of a repository, and the storage that they use.
import { readsActions, writesActions } from '#access/policies.ts';
import type { Policy } from '#access/policy.ts';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { invalid } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { cache } from './path-resources.ts';
import { presentCache } from './present.ts';
import { deleteCache, deleteCachesNamed } from './rules.ts';
import { ActionsCache, ActionsCacheList, CacheFilter, CacheKey, CacheUsage, OrganizationCacheUsage } from './schemas.ts';
import { listCaches, listUsage, sumCaches, sumCachesOf } from './store.ts';

const readsOrganizationUsage = {
  scopes: ['read:org'],
  role: 'owner',
  permission: 'organization_administration:read',
} as const satisfies Policy;

export const listRepoCaches = endpoint({
  id: 'actions/get-actions-cache-list',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/caches',
  summary: 'List caches for a repository',
  access: readsActions,
  query: CacheFilter,
  paging: pages(),
  replies: { 200: enveloped('actions_caches', ActionsCache) },
  async handle({ db, at, query, page }) {
    return mapEach(await listCaches(db, { repository: at.repo.id, ...query }, page), presentCache);
  },
});

export const deleteRepoCachesByKey = endpoint({
  id: 'actions/delete-actions-cache-by-key',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/actions/caches',
  summary: 'Delete caches for a repository using a cache key',
  access: writesActions,
  query: CacheKey,
  refuses: [404, 422],
  replies: { 200: ActionsCacheList },
  async handle({ change, at, query: { key, ref } }) {
    if (key === '') throw invalid('ActionsCache', 'key', 'missing_field');
    const removed = await change((scope) => deleteCachesNamed(scope, { repository: at.repo.id, key, ref }));
    return { total_count: removed.length, actions_caches: removed.map(presentCache) };
  },
});

export const deleteRepoCache = endpoint({
  id: 'actions/delete-actions-cache-by-id',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/actions/caches/{cache_id}',
  resources: [cache],
  summary: 'Delete a cache for a repository',
  access: writesActions,
  replies: { 204: Nothing },
  async handle({ change, at }) {
    await change((scope) => deleteCache(scope, at.cache));
  },
});

export const getRepoCacheUsage = endpoint({
  id: 'actions/get-actions-cache-usage',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/cache/usage',
  summary: 'Get cache usage for a repository',
  access: readsActions,
  replies: { 200: CacheUsage },
  async handle({ db, at: { repo } }) {
    const { total, bytes } = await sumCaches(db, repo.id);
    return {
      full_name: `${repo.owner.login}/${repo.name}`,
      active_caches_size_in_bytes: bytes,
      active_caches_count: total,
    };
  },
});

export const getOrgCacheUsage = endpoint({
  id: 'actions/get-actions-cache-usage-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/cache/usage',
  summary: 'Get cache usage for an organization',
  access: readsOrganizationUsage,
  replies: { 200: OrganizationCacheUsage },
  async handle({ db, at }) {
    const { total, bytes } = await sumCachesOf(db, at.org.id);
    return { total_active_caches_size_in_bytes: bytes, total_active_caches_count: total };
  },
});

export const listOrgCacheUsage = endpoint({
  id: 'actions/get-actions-cache-usage-by-repo-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/cache/usage-by-repository',
  summary: 'List repositories with cache usage for an organization',
  access: readsOrganizationUsage,
  paging: pages(),
  replies: { 200: enveloped('repository_cache_usages', CacheUsage) },
  async handle({ db, at: { org }, page }) {
    return mapEach(await listUsage(db, org.id, page), ({ name, caches, bytes }) => ({
      full_name: `${org.login}/${name}`,
      active_caches_size_in_bytes: bytes,
      active_caches_count: caches,
    }));
  },
});
