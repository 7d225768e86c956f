import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { Task } from '#runner-protocol/generated/runner/v1/runner_pb.js';
import { atEndOfFile } from './end-of-file.ts';
import type { World } from './world.ts';

/** A job's token for the services that store its results. */
export const runtimeToken = (task: Task): string => String(task.context?.gitea_runtime_token);

/** A working folder for a job, until the end of the test file. */
export async function newWorkspace(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-job-'));
  atEndOfFile(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Runs as a program in a job: with the variables that a runner sets for it, and with the clients' output for the runner kept out
 * of the report. The clients decide by a server's name whether it has these services.
 */
export async function inJob<Result>(
  { url }: World,
  task: Task,
  work: (folder: string) => Promise<Result>,
  workspace?: string,
): Promise<Result> {
  const folder = workspace ?? (await newWorkspace());
  const variables = {
    ACTIONS_RESULTS_URL: url,
    ACTIONS_RUNTIME_TOKEN: runtimeToken(task),
    ACTIONS_CACHE_SERVICE_V2: 'true',
    GITHUB_SERVER_URL: 'http://hearth.localhost',
    GITHUB_WORKSPACE: folder,
    RUNNER_TEMP: folder,
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    return await work(folder);
  } finally {
    written.mockRestore();
    vi.unstubAllEnvs();
  }
}
