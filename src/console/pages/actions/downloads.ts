// Downloads by a session: the API hands out addresses that are valid for a minute, and these pages lead there.
import { inRepository } from '#console/frames/repository.ts';
import { page, read } from '#console/page.ts';
import { downloadArtifact } from '#resources/actions/artifacts/endpoints.ts';
import { getJobLog, getRunLogs } from '#resources/actions/workflow-runs/endpoints/logs.ts';

export const artifactPage = page({
  path: '/{owner}/{repo}/actions/runs/{run_id}/artifacts/{artifact_id}',
  frame: inRepository('actions'),
  reads: () => ({ file: read(downloadArtifact, { words: { archive_format: 'zip' } }) }),
  render: ({ file }) => ({ redirect: file.location }),
});

export const jobLogPage = page({
  path: '/{owner}/{repo}/actions/runs/{run_id}/job/{job_id}/raw',
  frame: inRepository('actions'),
  reads: () => ({ log: read(getJobLog) }),
  render: ({ log }) => ({ redirect: log.location }),
});

export const runLogsPage = page({
  path: '/{owner}/{repo}/actions/runs/{run_id}/logs',
  frame: inRepository('actions'),
  reads: () => ({ logs: read(getRunLogs) }),
  render: ({ logs }) => ({ redirect: logs.location }),
});
