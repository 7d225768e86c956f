import { timestamp } from '#lib/time.ts';
import type { PrivateRegistry } from './schemas.ts';
import type { RegistryRow } from './store.ts';

/** Registries in replies, without their secrets. */
export const presentRegistry = (row: RegistryRow): PrivateRegistry => ({
  name: row.name,
  registry_type: row.registry_type,
  auth_type: row.auth_type,
  url: row.url,
  username: row.username,
  replaces_base: row.replaces_base,
  visibility: row.visibility,
  selected_repository_ids: row.repository_ids,
  ...row.identity,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
});
