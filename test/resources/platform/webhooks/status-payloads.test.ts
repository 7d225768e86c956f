import { expect, test } from 'vitest';
import { addFile } from '#test/resources/code/commits/setting.ts';
import { heard, listening, parts } from './listening.ts';

test('a status is told with its commit and the branches that have the commit', async () => {
  const { here, owner, org, client, target } = await listening();
  const { name } = await here.repo(org, { by: owner });
  const base = `/repos/${org.login}/${name}`;
  const { commit } = await addFile(client, base);
  await client.post(`${base}/git/refs`, { ref: 'refs/heads/other', sha: commit });
  const { commit: later } = await addFile(client, base);
  await heard(here, target);
  await client.post(`${base}/statuses/${commit}`, { state: 'failure', context: 'build', target_url: 'https://ci.example/7' });
  const { status } = await heard(here, target);
  expect(status).toMatchObject({
    sha: commit,
    name: `${org.login}/${name}`,
    state: 'failure',
    context: 'build',
    target_url: 'https://ci.example/7',
    description: null,
    commit: { sha: commit },
    branches: [
      { name: 'main', commit: { sha: later } },
      { name: 'other', commit: { sha: commit } },
    ],
    ...parts(org, owner),
  });
});
