import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const w = await world({ vocabulary: 'github' });

test('an unmodified Octokit begins a repository with each licence that it is offered, and reads it back', async () => {
  const ada = await w.user();
  const { rest } = new Octokit({
    auth: await w.token(ada),
    baseUrl: `${w.url}/api/v3`,
    throttle: { enabled: false },
    retry: { enabled: false },
  });
  const { data: offered } = await rest.licenses.getAllCommonlyUsed({ per_page: 100 });
  for (const { key, spdx_id } of offered) {
    const { data: made } = await rest.repos.createForAuthenticatedUser({ name: `under-${key}`, license_template: key });
    expect(made.license).toMatchObject({ key, spdx_id });
    const at = { owner: ada.login, repo: made.name };
    const { data: file } = await rest.licenses.getForRepo(at);
    expect(file).toMatchObject({ path: 'LICENSE', license: { key, spdx_id } });
    const { data: license } = await rest.licenses.get({ license: key });
    expect(license).toMatchObject({ key, spdx_id, node_id: file.license?.node_id, url: file.license?.url });
  }
  await w.settle();
  const { data: repositories } = await rest.repos.listForAuthenticatedUser({ per_page: 100 });
  expect(repositories.map(({ license }) => license?.key).sort()).toEqual(offered.map(({ key }) => key).sort());
  const { data: found } = await rest.search.repos({ q: 'license:agpl-3.0' });
  expect(found.items.map(({ name, license }) => [name, license?.spdx_id])).toEqual([['under-agpl-3.0', 'AGPL-3.0']]);
});
