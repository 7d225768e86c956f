import { type Links, type NamedRepository, path, repositoryUrl } from '#endpoint/links.ts';
import { nodeId } from '#lib/id.ts';
import type { Label } from './schemas.ts';
import type { LabelRow } from './store.ts';

/** A label of a repository. */
export const presentLabel = (links: Links, repo: NamedRepository, row: LabelRow): Label => ({
  id: row.id,
  node_id: nodeId('Label', row.id),
  url: path(`${repositoryUrl(links, repo)}/labels`, row.name),
  name: row.name,
  description: row.description,
  color: row.color,
  default: row.is_default,
  archived_at: null,
  archived_by: null,
});
