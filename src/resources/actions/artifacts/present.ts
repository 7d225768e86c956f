import type { Scope } from '#endpoint/scope.ts';
import { gather } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import { loadRuns, type RunSummary } from '#resources/actions/workflow-runs/index.ts';
import { type RepositoryUrls, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import type { RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { isExpired } from './rules.ts';
import type { Artifact } from './schemas.ts';
import type { WholeArtifact } from './store.ts';

/** Presents a page of artifacts of one repository. */
export async function presentArtifacts(
  { db, links, now }: Scope,
  repo: RepositoryWithOwner,
  rows: readonly WholeArtifact[],
): Promise<Artifact[]> {
  if (rows.length === 0) return [];
  const urls = repositoryUrlsOf(links, repo);
  const runs = await loadRuns(db, gather(rows, 'run_id'));
  return rows.map((row) => presentOne(urls, row, { run: runs.get(row.run_id), now }));
}

export const presentArtifact = async (scope: Scope, repo: RepositoryWithOwner, row: WholeArtifact): Promise<Artifact> =>
  firstOrNotFound(await presentArtifacts(scope, repo, [row]));

function presentOne(
  urls: RepositoryUrls,
  row: WholeArtifact,
  { run, now }: { run: RunSummary | undefined; now: Date },
): Artifact {
  const url = `${urls.url}/actions/artifacts/${row.id}`;
  return {
    id: row.id,
    node_id: nodeId('Artifact', row.id),
    name: row.name,
    size_in_bytes: row.size,
    url,
    archive_download_url: `${url}/zip`,
    expired: isExpired(row, now),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    expires_at: timestamp(row.expires_at),
    digest: row.digest,
    ...(run && { workflow_run: runOf(run) }),
  };
}

const runOf = ({ id, repository_id, head_repository_id, head_branch, head_sha }: RunSummary): Artifact['workflow_run'] => ({
  id,
  repository_id,
  ...(head_repository_id !== null && { head_repository_id }),
  ...(head_branch !== null && { head_branch }),
  head_sha,
});
