// What jobs on an existing runner do with the API, and how they are cancelled.
import { expect, test } from 'vitest';
import { createRunnerToken } from '#resources/actions/runners/index.ts';
import { hasActRunner, startActRunner, withoutActRunner } from '#test/support/act-runner.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const here = await world({ vocabulary: 'github' });
const { user, repo: makeRepo, change, clock, db, settle, as } = here;

async function setting(file: string) {
  const ada = await user();
  const repo = await makeRepo(ada);
  const { token } = await change((scope) =>
    createRunnerToken(scope, { repository: repo.id }, { purpose: 'registration', now: clock.now }),
  );
  const runner = await startActRunner(here.url, { token });
  await commitFiles(here, repo, { '.github/workflows/ci.yml': file });
  await settle();
  const jobs = () =>
    db.selectFrom('workflow_jobs').select(['id', 'status', 'conclusion']).where('repository_id', '=', repo.id).execute();
  const ended = async () => (await jobs()).map(({ status, conclusion }) => conclusion ?? status);
  return { ada, repo, runner, ended, client: await as(ada), base: `/repos/${ada.login}/${repo.name}` };
}

const calling = `on: push
permissions: {contents: read, issues: write}
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: test "\${{ github.api_url }}" = "$GITHUB_API_URL"
      - run: |
          repository="$GITHUB_API_URL/repos/$GITHUB_REPOSITORY"
          curl -sSf -H "Authorization: Bearer \${{ github.token }}" "$repository" | grep '"full_name"'
          curl -sSf -H "Authorization: Bearer \${{ github.token }}" -d '{"title": "By a job"}' "$repository/issues"
`;

test.skipIf(!hasActRunner)('a job calls the API at $GITHUB_API_URL', async (context) => {
  if (!hasActRunner) context.skip(withoutActRunner);
  const { ended, client, base, runner } = await setting(calling);
  await expect.poll(ended, { timeout: 60_000 }).not.toContain('in_progress');
  await expect.poll(ended, { timeout: 60_000, message: runner.log() }).toEqual(['success']);
  expect((await client.get(`${base}/issues`)).body).toMatchObject([{ title: 'By a job' }]);
});

const silently = (steps: string) => `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`;

test.skipIf(!hasActRunner).each([
  ['that waits for programs of its step', silently('      - run: sleep 300\n      - if: github.ref\n        run: echo never\n')],
  ['that may clean up', silently('      - run: exec sleep 300\n      - if: always()\n        run: echo tidy\n')],
])('a job %s and prints nothing is over when it is cancelled, before its step ends', async (_, file) => {
  const { ended, client, base, runner } = await setting(file);
  await expect.poll(() => runner.log().includes('sleep 300'), { timeout: 60_000 }).toBe(true);
  const [run] = (await client.get(`${base}/actions/runs`)).body.workflow_runs;
  await client.post(`${base}/actions/runs/${run.id}/cancel`);
  await expect.poll(ended, { timeout: 60_000 }).toEqual(['cancelled']);
});
