import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { world } from '#test/support/world.ts';

const { user, org, token, settle, url } = await world({ vocabulary: 'github' });

test('an unmodified Octokit creates a repository, commits a file, opens an issue, comments, searches and pages', async () => {
  const ada = await user('ada');
  await org(ada, 'acme');
  const octokit = new Octokit({ auth: await token(ada), baseUrl: `${url}/api/v3`, throttle: { enabled: false } });
  const place = { owner: 'acme', repo: 'engine' };

  const { data: created } = await octokit.rest.repos.createInOrg({ org: 'acme', name: 'engine', private: true });
  expect(created.full_name).toBe('acme/engine');

  const content = 'export const unmistakable = 42;\n';
  const { data: put } = await octokit.rest.repos.createOrUpdateFileContents({
    ...place,
    path: 'src/answer.ts',
    message: 'Add the answer',
    content: Buffer.from(content).toString('base64'),
  });
  expect(put.commit.message).toBe('Add the answer');
  const { data: file } = await octokit.rest.repos.getContent({ ...place, path: 'src/answer.ts' });
  expect('content' in file && Buffer.from(file.content, 'base64').toString()).toBe(content);
  const { data: commits } = await octokit.rest.repos.listCommits(place);
  expect(commits.map(({ sha }) => sha)).toEqual([put.commit.sha]);

  const { data: issue } = await octokit.rest.issues.create({ ...place, title: 'It stalls', labels: ['bug'], assignees: ['ada'] });
  await octokit.rest.issues.createComment({ ...place, issue_number: issue.number, body: 'Here, too.' });
  for (let number = 2; number <= 7; number++) await octokit.rest.issues.create({ ...place, title: `Issue ${number}` });
  const titles = await octokit.paginate(
    octokit.rest.issues.listForRepo,
    { ...place, per_page: 2, direction: 'asc' },
    ({ data }) => data.map(({ title }) => title),
  );
  expect(titles).toEqual(['It stalls', 'Issue 2', 'Issue 3', 'Issue 4', 'Issue 5', 'Issue 6', 'Issue 7']);
  const { data: closed } = await octokit.rest.issues.update({ ...place, issue_number: 1, state: 'closed' });
  expect([closed.state, closed.comments]).toEqual(['closed', 1]);

  await settle();
  const { data: found } = await octokit.rest.search.code({ q: 'unmistakable repo:acme/engine' });
  expect(found.items.map(({ path }) => path)).toEqual(['src/answer.ts']);
});
