// Artifacts of jobs. The reply redirects readers to an address of the bytes that is valid for a minute.
import { readsActions, writesActions } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { redirect } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { blobAddress } from '#resources/actions/job-uploads/index.ts';
import { readsLogs, workflowRun } from '#resources/actions/workflow-runs/index.ts';
import { artifact, artifactArchive } from './path-resources.ts';
import { presentArtifact, presentArtifacts } from './present.ts';
import { deleteArtifact, refuseExpired } from './rules.ts';
import { Artifact, ArtifactFilter, ArtifactOfRunFilter } from './schemas.ts';
import { listArtifacts } from './store.ts';

export const listRepoArtifacts = endpoint({
  id: 'actions/list-artifacts-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/artifacts',
  summary: 'List artifacts for a repository',
  access: readsActions,
  query: ArtifactFilter,
  paging: pages(),
  replies: { 200: enveloped('artifacts', Artifact) },
  async handle({ scope, db, at: { repo }, query, page }) {
    const found = await listArtifacts(db, { repository: repo.id, ...query }, page);
    return mapRows(found, (rows) => presentArtifacts(scope, repo, rows));
  },
});

export const listRunArtifacts = endpoint({
  id: 'actions/list-workflow-run-artifacts',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts',
  resources: [workflowRun],
  summary: 'List workflow run artifacts',
  access: readsActions,
  query: ArtifactOfRunFilter,
  paging: pages(),
  replies: { 200: enveloped('artifacts', Artifact) },
  async handle({ scope, db, at: { repo, workflowRun: run }, query, page }) {
    const found = await listArtifacts(db, { run: run.id, ...query }, page);
    return mapRows(found, (rows) => presentArtifacts(scope, repo, rows));
  },
});

export const getArtifact = endpoint({
  id: 'actions/get-artifact',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/artifacts/{artifact_id}',
  resources: [artifact],
  summary: 'Get an artifact',
  access: readsActions,
  replies: { 200: Artifact },
  async handle({ scope, at }) {
    return presentArtifact(scope, at.repo, at.artifact);
  },
});

/** How long the address is valid, in milliseconds (the public API's time). */
const handedOutFor = 60_000;

export const downloadArtifact = endpoint({
  id: 'actions/download-artifact',
  method: 'GET',
  path: '/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}',
  resources: [artifactArchive],
  summary: 'Download an artifact',
  access: readsLogs,
  refuses: [410],
  replies: { 302: Nothing },
  async handle({ at, links, now, services: { secrets } }) {
    refuseExpired(at.artifact, now);
    const address = { origin: links.html, id: at.artifact.id, milliseconds: handedOutFor };
    return redirect(blobAddress({ secrets, now }, 'artifact', address));
  },
});

export const deleteRepoArtifact = endpoint({
  id: 'actions/delete-artifact',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/actions/artifacts/{artifact_id}',
  resources: [artifact],
  summary: 'Delete an artifact',
  access: writesActions,
  replies: { 204: Nothing },
  async handle({ change }) {
    await change((scope, at) => deleteArtifact(scope, at.artifact));
  },
});
