import { path } from '#endpoint/links.ts';
import { nodeId } from '#lib/id.ts';
import { timestamp } from '#lib/time.ts';
import { fileLinks, type RepositoryUrls } from '#resources/code/commits/index.ts';
import { isDynamicPath } from '#workflow-files/file.ts';
import { isRequired } from './rules.ts';
import type { Workflow } from './schemas.ts';
import type { WorkflowRow } from './store.ts';

/** The address of a workflow in the API. */
export const workflowUrl = (urls: RepositoryUrls, id: WorkflowRow['id']): string => `${urls.url}/actions/workflows/${id}`;

/** The path of a workflow that rules require: the name of its repository, the file, and the ref or commit. */
const requiredPath = /^([^/@]+\/[^/@]+)\/([^@]+)@(?:refs\/(?:heads|tags)\/)?(.+)$/;

/**
 * The page of a workflow's file: on the default branch, or for a required workflow, in its own repository. A workflow that the
 * server writes has a page of its runs.
 */
function pageOf(urls: RepositoryUrls, defaultBranch: string, row: WorkflowRow): string {
  if (isDynamicPath(row.path)) return path(urls.html, 'actions', 'workflows', ...row.path.split('/'));
  const [, repository, file, ref] = (isRequired(row) ? requiredPath.exec(row.path) : null) ?? [];
  if (!repository || !file || !ref) return fileLinks(urls, defaultBranch, row.path).html_url;
  const server = urls.html.split('/').slice(0, -2).join('/');
  return fileLinks({ ...urls, html: `${server}/${repository}` }, ref, file).html_url;
}

/** A workflow, with the page of its file. */
export const presentWorkflow = (urls: RepositoryUrls, defaultBranch: string, row: WorkflowRow): Workflow => ({
  id: row.id,
  node_id: nodeId('Workflow', row.id),
  name: row.name,
  path: row.path,
  state: row.state,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
  url: workflowUrl(urls, row.id),
  html_url: pageOf(urls, defaultBranch, row),
  badge_url: path(urls.html, 'workflows', row.name, 'badge.svg'),
  ...(row.state === 'deleted' ? { deleted_at: timestamp(row.updated_at) } : {}),
});
