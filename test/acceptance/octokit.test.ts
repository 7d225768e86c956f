import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { user, org, token, url } = await world({ vocabulary: 'github' });

const client = async (): Promise<Octokit> => {
  const ada = await user('ada');
  await org(ada, 'acme');
  return new Octokit({ auth: await token(ada), baseUrl: `${url}/api/v3` });
};

test('an unmodified Octokit creates an organization repository and pages through lists', async () => {
  const octokit = await client();
  const { data: created } = await octokit.rest.repos.createInOrg({ org: 'acme', name: 'engine', auto_init: true });
  expect(created.full_name).toBe('acme/engine');
  for (const number of [1, 2, 3]) await octokit.rest.repos.createInOrg({ org: 'acme', name: `part-${number}` });
  const names = await octokit.paginate(octokit.rest.repos.listForOrg, { org: 'acme', per_page: 2 }, ({ data }) =>
    data.map(({ name }) => name),
  );
  expect(names.sort()).toEqual(['engine', 'part-1', 'part-2', 'part-3']);
});
