import { path } from '#endpoint/links.ts';
import { nodeId } from '#lib/id.ts';
import { timestamp } from '#lib/time.ts';
import { fileLinks, type RepositoryUrls } from '#resources/code/commits/index.ts';
import type { Workflow } from './schemas.ts';
import type { WorkflowRow } from './store.ts';

/** The address of a workflow in the API. */
export const workflowUrl = (urls: RepositoryUrls, id: WorkflowRow['id']): string => `${urls.url}/actions/workflows/${id}`;

/** A workflow. Its page is the page of its file on the default branch. */
export const presentWorkflow = (urls: RepositoryUrls, defaultBranch: string, row: WorkflowRow): Workflow => ({
  id: row.id,
  node_id: nodeId('Workflow', row.id),
  name: row.name,
  path: row.path,
  state: row.state,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
  url: workflowUrl(urls, row.id),
  html_url: fileLinks(urls, defaultBranch, row.path).html_url,
  badge_url: path(urls.html, 'workflows', row.name, 'badge.svg'),
  ...(row.state === 'deleted' ? { deleted_at: timestamp(row.updated_at) } : {}),
});
