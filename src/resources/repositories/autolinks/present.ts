import { timestamp } from '#lib/time.ts';
import type { Autolink } from './schemas.ts';
import type { AutolinkRow } from './store.ts';

export const presentAutolink = (row: AutolinkRow): Autolink => ({
  id: row.id,
  key_prefix: row.key_prefix,
  url_template: row.url_template,
  is_alphanumeric: row.is_alphanumeric,
  updated_at: timestamp(row.updated_at),
});
