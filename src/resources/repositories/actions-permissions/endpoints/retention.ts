// How long artifacts, logs and caches are kept, and the storage for caches.
import { endpointVariants } from '#endpoint/variants.ts';
import { Nothing } from '#lib/shape.ts';
import { loadInForce } from '../load.ts';
import { changesOrganization, changesRepository, readsOrganization, readsRepository } from '../policies.ts';
import { changeSettings } from '../rules.ts';
import {
  CacheRetention,
  CacheRetentionChange,
  CacheStorage,
  CacheStorageChange,
  Retention,
  RetentionChange,
} from '../schemas.ts';

/** Everybody who may read the repository may see the limit of its caches (document 3, Actions). */
const readsStorageLimit = { scopes: ['repo'], role: 'read', permission: 'actions:read' } as const;

export const { org: getOrganizationRetention, repo: getRepositoryRetention } = endpointVariants(
  {
    org: {
      id: 'actions/get-artifact-and-log-retention-settings-organization',
      path: '/orgs/{org}/actions/permissions/artifact-and-log-retention',
      summary: 'Get artifact and log retention for an organization',
      access: readsOrganization,
    },
    repo: {
      id: 'actions/get-artifact-and-log-retention-settings-repository',
      path: '/repos/{owner}/{repo}/actions/permissions/artifact-and-log-retention',
      summary: 'Get artifact and log retention for a repository',
      access: readsRepository,
    },
  },
  {
    method: 'GET',
    replies: { 200: Retention },
    async handle({ db, at }) {
      const { settings, maximumDays } = await loadInForce(db, at);
      return { days: settings.artifact_and_log_retention_days, maximum_allowed_days: maximumDays };
    },
  },
);

export const { org: setOrganizationRetention, repo: setRepositoryRetention } = endpointVariants(
  {
    org: {
      id: 'actions/set-artifact-and-log-retention-settings-organization',
      path: '/orgs/{org}/actions/permissions/artifact-and-log-retention',
      summary: 'Set artifact and log retention for an organization',
      access: changesOrganization,
    },
    repo: {
      id: 'actions/set-artifact-and-log-retention-settings-repository',
      path: '/repos/{owner}/{repo}/actions/permissions/artifact-and-log-retention',
      summary: 'Set artifact and log retention for a repository',
      access: changesRepository,
    },
  },
  {
    method: 'PUT',
    body: RetentionChange,
    example: { days: 30 },
    replies: { 204: Nothing },
    async handle({ change, body, action }) {
      await change((scope) => changeSettings(scope, action, { artifact_and_log_retention_days: body.days }));
    },
  },
);

export const { org: getOrganizationCacheRetention, repo: getRepositoryCacheRetention } = endpointVariants(
  {
    org: {
      id: 'actions/get-actions-cache-retention-limit-for-organization',
      path: '/organizations/{org}/actions/cache/retention-limit',
      summary: 'Get the cache retention limit for an organization',
      access: readsOrganization,
    },
    repo: {
      id: 'actions/get-actions-cache-retention-limit-for-repository',
      path: '/repos/{owner}/{repo}/actions/cache/retention-limit',
      summary: 'Get the cache retention limit for a repository',
      access: readsRepository,
    },
  },
  {
    method: 'GET',
    replies: { 200: CacheRetention },
    async handle({ db, at }) {
      const { max_cache_retention_days } = (await loadInForce(db, at)).settings;
      return { max_cache_retention_days };
    },
  },
);

export const { org: setOrganizationCacheRetention, repo: setRepositoryCacheRetention } = endpointVariants(
  {
    org: {
      id: 'actions/set-actions-cache-retention-limit-for-organization',
      path: '/organizations/{org}/actions/cache/retention-limit',
      summary: 'Set the cache retention limit for an organization',
      access: changesOrganization,
    },
    repo: {
      id: 'actions/set-actions-cache-retention-limit-for-repository',
      path: '/repos/{owner}/{repo}/actions/cache/retention-limit',
      summary: 'Set the cache retention limit for a repository',
      access: changesRepository,
    },
  },
  {
    method: 'PUT',
    body: CacheRetentionChange,
    example: { max_cache_retention_days: 7 },
    replies: { 204: Nothing },
    async handle({ change, body, action }) {
      await change((scope) => changeSettings(scope, action, body));
    },
  },
);

export const { org: getOrganizationCacheStorage, repo: getRepositoryCacheStorage } = endpointVariants(
  {
    org: {
      id: 'actions/get-actions-cache-storage-limit-for-organization',
      path: '/organizations/{org}/actions/cache/storage-limit',
      summary: 'Get the cache storage limit for an organization',
      access: readsOrganization,
    },
    repo: {
      id: 'actions/get-actions-cache-storage-limit-for-repository',
      path: '/repos/{owner}/{repo}/actions/cache/storage-limit',
      summary: 'Get the cache storage limit for a repository',
      access: readsStorageLimit,
    },
  },
  {
    method: 'GET',
    replies: { 200: CacheStorage },
    async handle({ db, at }) {
      const { max_cache_size_gb } = (await loadInForce(db, at)).settings;
      return { max_cache_size_gb };
    },
  },
);

export const { org: setOrganizationCacheStorage, repo: setRepositoryCacheStorage } = endpointVariants(
  {
    org: {
      id: 'actions/set-actions-cache-storage-limit-for-organization',
      path: '/organizations/{org}/actions/cache/storage-limit',
      summary: 'Set the cache storage limit for an organization',
      access: changesOrganization,
    },
    repo: {
      id: 'actions/set-actions-cache-storage-limit-for-repository',
      path: '/repos/{owner}/{repo}/actions/cache/storage-limit',
      summary: 'Set the cache storage limit for a repository',
      access: changesRepository,
    },
  },
  {
    method: 'PUT',
    body: CacheStorageChange,
    example: { max_cache_size_gb: 10 },
    replies: { 204: Nothing },
    async handle({ change, body, action }) {
      await change((scope) => changeSettings(scope, action, body));
    },
  },
);
