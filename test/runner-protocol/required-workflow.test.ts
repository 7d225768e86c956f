import { expect, test } from 'vitest';
import { createRunnerToken } from '#resources/actions/runners/index.ts';
import { checkFile, requiredSetting } from '#test/resources/actions/required-workflows/setting.ts';
import { hasActRunner, startActRunner, withoutActRunner } from '#test/support/act-runner.ts';
import { world } from '#test/support/world.ts';

const w = await world();

/** Succeeds for the branch `good` alone, in the repository of the pull request. */
const file = checkFile.replace(
  '[{run: make check}]',
  '\n      - run: test "$GITHUB_HEAD_REF" = good\n      - run: test "$GITHUB_REPOSITORY" = "$EXPECTED"',
);

test.skipIf(!hasActRunner)(
  'a runner executes a required workflow, and its result decides about the merge',
  async (context) => {
    if (!hasActRunner) context.skip(withoutActRunner);
    const { repo, client, base, propose, merge, tested, name } = await requiredSetting(w, {
      file: file.replace('    steps:', `    env: {EXPECTED: "\${{ vars.EXPECTED }}"}\n    steps:`),
    });
    const fullName = base.slice('/repos/'.length);
    expect((await client.post(`${base}/actions/variables`, { name: 'EXPECTED', value: fullName })).status).toBe(201);
    const { token } = await w.change((scope) =>
      createRunnerToken(scope, { repository: repo.id }, { purpose: 'registration', now: w.clock.now }),
    );
    await startActRunner(w.url, { token });
    const [good, bad] = [await propose('good'), await propose('bad')];
    await expect.poll(async () => (await tested(good.number)).mergeable_state, { timeout: 60_000 }).toBe('clean');
    expect(await merge(good.number)).toMatchObject({ status: 200, body: { merged: true } });
    await expect
      .poll(async () => (await merge(bad.number)).body.message, { timeout: 60_000 })
      .toContain(`Required workflow "${name}" did not succeed: its run ended with failure.`);
  },
  120_000,
);
