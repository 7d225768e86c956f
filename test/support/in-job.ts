import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { Task } from '#runner-protocol/generated/runner/v1/runner_pb.js';
import { atEndOfFile } from './end-of-file.ts';
import type { World } from './world.ts';

/** The token of a job for the services that keep its results. */
export const runtimeToken = (task: Task): string => String(task.context?.gitea_runtime_token);

/** A folder for a job to work in, until the end of the test file. */
export async function newWorkspace(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-job-'));
  atEndOfFile(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Does what a program in a job would: with the variables that a runner sets for it, and with what the clients write for the runner kept out of the
 * report. The clients take a server for one that has these services by its name.
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
