import { type Static, Type } from 'typebox';
import { Demanded, OneOf, Timestamp, withDefault } from '#lib/shape.ts';

/** A cache of a repository. */
export const ActionsCache = Type.Object({
  id: Type.Integer(),
  ref: Type.String(),
  key: Type.String(),
  version: Type.String(),
  last_accessed_at: Timestamp,
  created_at: Timestamp,
  size_in_bytes: Type.Integer(),
});
export type ActionsCache = Static<typeof ActionsCache>;

export const ActionsCacheList = Type.Object({ total_count: Type.Integer(), actions_caches: Type.Array(ActionsCache) });

const Ref = Type.Optional(Type.String({ maxLength: 1_024, description: 'refs/heads/…, or refs/pull/…/merge' }));

export const CacheFilter = Type.Object({
  key: Type.Optional(Type.String({ maxLength: 512, description: 'The key, or how it begins' })),
  ref: Ref,
  sort: withDefault(OneOf(['created_at', 'last_accessed_at', 'size_in_bytes']), 'last_accessed_at'),
  direction: withDefault(OneOf(['asc', 'desc']), 'desc'),
});

export const CacheKey = Type.Object({ key: Demanded(Type.String({ maxLength: 512 })), ref: Ref });

/** The size of a repository's caches. */
export const CacheUsage = Type.Object({
  full_name: Type.String(),
  active_caches_size_in_bytes: Type.Integer(),
  active_caches_count: Type.Integer(),
});
export type CacheUsage = Static<typeof CacheUsage>;

/** The size of the caches of all repositories of an organization. */
export const OrganizationCacheUsage = Type.Object({
  total_active_caches_size_in_bytes: Type.Integer(),
  total_active_caches_count: Type.Integer(),
});
