import { timestamp } from '#lib/time.ts';
import type { ActionsCache } from './schemas.ts';
import type { WholeCache } from './store.ts';

export const presentCache = ({ id, ref, key, version, last_accessed_at, created_at, size }: WholeCache): ActionsCache => ({
  id,
  ref,
  key,
  version,
  last_accessed_at: timestamp(last_accessed_at),
  created_at: timestamp(created_at),
  size_in_bytes: size,
});
