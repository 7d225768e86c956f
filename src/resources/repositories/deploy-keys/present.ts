import { type Links, type NamedRepository, repositoryUrl } from '#endpoint/links.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import type { DeployKey } from './schemas.ts';
import type { DeployKeyRow } from './store.ts';

export const presentDeployKey = (links: Links, repo: NamedRepository, row: DeployKeyRow): DeployKey => ({
  id: row.id,
  key: row.key,
  url: `${repositoryUrl(links, repo)}/keys/${row.id}`,
  title: row.title,
  verified: true,
  created_at: timestamp(row.created_at),
  read_only: row.read_only,
  added_by: row.adder,
  last_used: timestampOrNull(row.last_used_at),
  enabled: row.enabled,
});
