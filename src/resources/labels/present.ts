import { path } from '#endpoint/links.ts';
import { nodeId } from '#lib/id.ts';
import type { Label } from './schemas.ts';
import type { LabelRow } from './store.ts';

/** A label; `repositoryUrl` is its repository's address in the API. */
export const presentLabel = (repositoryUrl: string, row: LabelRow): Label => ({
  id: row.id,
  node_id: nodeId('Label', row.id),
  url: path(`${repositoryUrl}/labels`, row.name),
  name: row.name,
  description: row.description,
  color: row.color,
  default: row.is_default,
});
