// The names of steps in the API, before they run.
import { expect, test } from 'vitest';
import { startRunner } from '#test/support/runner-client.ts';
import { sealedFor } from '#test/support/sealed.ts';
import { world } from '#test/support/world.ts';
import { pushWorkflow } from '../setting.ts';

const w = await world({ vocabulary: 'github' });

const workflow = `on: push
env: {VERSION: '1.2', HIDDEN: "\${{ secrets.KEY }}"}
jobs:
  a:
    runs-on: ubuntu-latest
    env: {NAME: 'engine-\${{ matrix.size }}'}
    strategy: {matrix: {size: [small]}}
    steps:
      - name: Make \${{ matrix.size }} of \${{ github.ref_name }}
        run: make
      - run: echo "\${{ secrets.KEY }} \${{ vars.SAYS }}"
      - name: Take \${{ steps.made.outputs.file }} for \${{ vars.WHO }}
        run: x
      - name: Build \${{ env.NAME }} \${{ env.VERSION }} \${{ env.HIDDEN }}, \${{ strategy.job-index }} of \${{ strategy.job-total }}
        run: x
      - name: Token \${{ github.token }}\${{ secrets.GITHUB_TOKEN }}\${{ github.gitea_runtime_token }}
        run: x
`;

test('expressions in names of steps are evaluated as far as they are known, and show no secret', async () => {
  const ada = await w.user();
  const repo = await w.repo(ada);
  const client = await w.as(ada);
  const base = `/repos/${ada.login}/${repo.name}`;
  const secrets = `${base}/actions/secrets`;
  await client.put(`${secrets}/KEY`, await sealedFor(client, `${secrets}/public-key`, 'moonlight'));
  await client.post(`${base}/actions/variables`, { name: 'SAYS', value: 'by moonlight' });
  await client.post(`${base}/actions/variables`, { name: 'WHO', value: 'ada' });
  await pushWorkflow(w, repo, { '.github/workflows/ci.yml': workflow });
  const task = await (await startRunner(w, repo)).fetch();
  const { body } = await client.get(`${base}/actions/jobs/${task?.id}`);
  expect(body.steps.map(({ name }: { name: string }) => name)).toEqual([
    'Set up job',
    'Make small of main',
    'Run echo "*** by ***"',
    `Take \${{ steps.made.outputs.file }} for ada`,
    'Build engine-small 1.2 ***, 0 of 1',
    'Token ******',
    'Complete job',
  ]);
});
