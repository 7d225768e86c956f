import { expect, test } from 'vitest';
import { createRunnerToken } from '#resources/runners/index.ts';
import { hasActRunner, startActRunner, withoutActRunner } from '#test/support/act-runner.ts';
import { commitFiles } from '#test/support/commit.ts';
import { world } from '#test/support/world.ts';

const here = await world();
const { user, repo: makeRepo, change, clock, db, settle } = here;
const ada = await user('ada');
const repo = await makeRepo(ada, { name: 'engine' });

const workflow = `name: CI
on: push
env:
  GREETING: hello
jobs:
  build:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        size: [small, large]
    outputs:
      made: \${{ steps.make.outputs.made }}
    steps:
      - id: make
        name: Make it
        run: |
          echo "$GREETING \${{ matrix.size }}"
          echo "made=\${{ matrix.size }}" >> "$GITHUB_OUTPUT"
  check:
    needs: build
    runs-on: [self-hosted, ubuntu-latest]
    steps:
      - run: test "\${{ needs.build.result }}" = success
      - run: test -n "\${{ needs.build.outputs.made }}"
  never:
    needs: check
    if: failure()
    runs-on: ubuntu-latest
    steps:
      - run: exit 1
`;

test.skipIf(!hasActRunner)('a pushed workflow runs to its end', async (context) => {
  if (!hasActRunner) context.skip(withoutActRunner);
  const { token } = await change((tx) =>
    createRunnerToken(tx, { repository: repo.id }, { purpose: 'registration', now: clock.now }),
  );
  await startActRunner(here.url, { token });
  await commitFiles(here, repo, { '.github/workflows/ci.yml': workflow });
  await settle();
  const runs = () => db.selectFrom('workflow_runs').selectAll().execute();
  const jobs = () =>
    db.selectFrom('workflow_jobs').select(['key', 'name', 'status', 'conclusion', 'outputs']).orderBy('id').execute();
  await expect
    .poll(async () => (await runs()).map(({ status, conclusion }) => [status, conclusion]))
    .toEqual([['completed', 'success']]);
  expect(await jobs()).toMatchObject([
    { key: 'build', name: 'build (small)', conclusion: 'success', outputs: { made: 'small' } },
    { key: 'build', name: 'build (large)', conclusion: 'success', outputs: { made: 'large' } },
    { key: 'check', name: 'check', conclusion: 'success' },
    { key: 'never', name: 'never', conclusion: 'skipped' },
  ]);
});
