import type { Task } from '#runner-protocol/generated/runner/v1/runner_pb.js';
import { startRunner, type TestRunner } from '#test/support/runner-client.ts';
import type { World } from '#test/support/world.ts';
import { pushWorkflow } from '../workflow-runs/setting.ts';

/** A repository with a run whose first job runs: of the workflow for tests, or of these files. */
export async function jobSetting(world: World, files?: Parameters<typeof pushWorkflow>[2]) {
  const ada = await world.user();
  const repo = await world.repo(ada);
  const client = await world.as(ada);
  const base = `/repos/${ada.login}/${repo.name}`;
  await pushWorkflow(world, repo, files);
  const runner = await startRunner(world, repo);
  const task = await nextTask(runner);
  const run = Number(task.context?.run_id);
  return { ada, repo, client, base, runner, task, run, url: `${base}/actions/runs/${run}` };
}

export async function nextTask(runner: TestRunner): Promise<Task> {
  const task = await runner.fetch();
  if (!task) throw new Error('No job waits');
  return task;
}
