import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { user, org, repo, as, token, settle, url } = await world({
  vocabulary: 'github',
  embeddings: { provider: 'builtin' },
});

test('an unmodified Octokit searches issues and repositories, pages, sorts and reads text matches', async () => {
  const ada = await user('ada');
  await repo(await org(ada, 'acme'), { name: 'engine', visibility: 'private', by: ada });
  const client = await as(ada);
  const issues = '/repos/acme/engine/issues';
  await client.post(issues, { title: 'The pump stalls', body: 'After an hour of rain', labels: ['bug'] });
  await client.post(issues, { title: 'Paint the pump', body: 'Green' });
  await client.patch(`${issues}/2`, { state: 'closed' });
  await settle();
  const octokit = new Octokit({ auth: await token(ada), baseUrl: `${url}/api/v3`, throttle: { enabled: false } });

  const { data } = await octokit.rest.search.issuesAndPullRequests({
    q: 'pump is:issue repo:acme/engine',
    sort: 'created',
    order: 'asc',
    mediaType: { format: 'text-match' },
  });
  expect(data).toMatchObject({ total_count: 2, incomplete_results: false, search_type: 'lexical' });
  expect(data.items.map(({ title }) => title)).toEqual(['The pump stalls', 'Paint the pump']);
  const [match] = data.items[0]?.text_matches ?? [];
  expect(match).toMatchObject({ object_type: 'Issue', property: 'title', matches: [{ text: 'pump', indices: [4, 8] }] });

  const q = '(label:bug OR state:closed) AND pump';
  const paged = await octokit.paginate(octokit.rest.search.issuesAndPullRequests, { q, advanced_search: 'true', per_page: 1 });
  expect(paged.map(({ title }) => title).toSorted()).toEqual(['Paint the pump', 'The pump stalls']);
  await expect(octokit.rest.search.issuesAndPullRequests({ q: 'pump repo:acme/none' })).rejects.toMatchObject({ status: 422 });

  for (const search_type of ['semantic', 'hybrid'] as const) {
    const { data: like } = await octokit.rest.search.issuesAndPullRequests({ q: 'stops working in wet weather', search_type });
    expect(like).toMatchObject({ search_type });
    expect(like.items[0]?.title).toBe('The pump stalls');
  }
  const anonymous = new Octokit({ baseUrl: `${url}/api/v3`, throttle: { enabled: false } });
  const asked = anonymous.rest.search.issuesAndPullRequests({ q: 'pump', search_type: 'hybrid' });
  await expect(asked).rejects.toMatchObject({ status: 401 });

  const wanted = { q: 'engine user:acme', sort: 'updated', mediaType: { format: 'text-match' } } as const;
  const { data: repositories } = await octokit.rest.search.repos(wanted);
  expect(repositories.items.map(({ full_name }) => full_name)).toEqual(['acme/engine']);
  expect(repositories.items[0]?.text_matches).toMatchObject([{ property: 'name', matches: [{ text: 'engine' }] }]);
});
