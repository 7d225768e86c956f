import { expect, test } from 'vitest';
import { heard, listening, parts } from '#test/resources/platform/webhooks/listening.ts';
import { startRunner } from '#test/support/runner-client.ts';
import { pushWorkflow } from './setting.ts';

test('hooks hear of runs and of their jobs', async () => {
  const { here, owner, org, client, target } = await listening();
  const repo = await here.repo(org, { by: owner });
  await heard(here, target);
  const head_sha = await pushWorkflow(here, repo);
  const waiting = await heard(here, target);
  expect(waiting['workflow_run.requested']).toMatchObject({
    ...parts(org, owner),
    workflow: { name: 'CI', state: 'active' },
    workflow_run: { name: 'CI', status: 'queued', conclusion: null, head_sha, head_repository: { id: repo.id } },
    repository: { id: repo.id },
  });
  expect(waiting['workflow_job.queued']).toMatchObject({
    workflow_job: { name: 'build', status: 'queued', runner_name: null, steps: [], labels: ['ubuntu-latest'] },
  });
  const runner = await startRunner(here, repo);
  const build = await runner.fetch();
  if (!build) throw new Error('No job');
  await runner.end(build, 'failure');
  const ended = await heard(here, target);
  expect(ended['workflow_run.in_progress']).toMatchObject({ workflow_run: { status: 'in_progress', conclusion: null } });
  expect(ended['workflow_job.in_progress']).toMatchObject({ workflow_job: { status: 'in_progress', runner_name: 'r1' } });
  expect(ended['workflow_run.completed']).toMatchObject({ workflow_run: { status: 'completed', conclusion: 'failure' } });
  // The second job is skipped, since the first has failed.
  expect(ended['workflow_job.completed']).toMatchObject({ workflow_job: { status: 'completed', name: 'check' } });
  const { id } = ended['workflow_run.completed'].workflow_run;
  await client.post(`/repos/${org.login}/${repo.name}/actions/runs/${id}/rerun`);
  expect((await heard(here, target))['workflow_run.requested']).toMatchObject({
    workflow_run: { run_attempt: 2, previous_attempt_url: expect.stringMatching(/\/attempts\/1$/) },
  });
});
