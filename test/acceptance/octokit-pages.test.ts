import { Octokit } from 'octokit';
import { expect, test } from 'vitest';
import { siteSetting } from '#test/resources/actions/pages/setting.ts';

const { here, org, owner, get, repository } = await siteSetting();

test('an unmodified Octokit publishes a website, changes it, looks at its builds, and deletes it', async () => {
  const { repo, web } = await repository({ 'index.html': 'root', 'docs/index.html': 'docs' });
  const { rest } = new Octokit({
    baseUrl: `${here.url}/api/v3`,
    auth: await here.token(owner),
    throttle: { enabled: false },
    retry: { enabled: false },
  });
  const about = { owner: org.login, repo: repo.name };

  const { data: created } = await rest.repos.createPagesSite({ ...about, source: { branch: 'main', path: '/docs' } });
  expect(created.html_url).toContain(web);
  await here.settle();
  expect(await get(web)).toMatchObject({ status: 200, body: 'docs' });
  expect((await rest.repos.getPages(about)).data).toMatchObject({ status: 'built', source: { path: '/docs' } });
  await rest.repos.updateInformationAboutPagesSite({ ...about, source: { branch: 'main', path: '/' } });
  expect((await rest.repos.requestPagesBuild(about)).data.status).toBe('queued');
  await here.settle();
  expect(await get(web)).toMatchObject({ body: 'root' });
  const { data: builds } = await rest.repos.listPagesBuilds(about);
  expect(builds).toHaveLength(3);
  expect((await rest.repos.getLatestPagesBuild(about)).data).toEqual(builds[0]);
  const build_id = Number(builds[2]?.url.split('/').at(-1));
  expect((await rest.repos.getPagesBuild({ ...about, build_id })).data).toEqual(builds[2]);
  await expect(rest.repos.getPagesHealthCheck(about)).rejects.toMatchObject({ status: 400 });
  await rest.repos.updateInformationAboutPagesSite({ ...about, cname: 'octo.example' });
  expect((await rest.repos.getPagesHealthCheck(about)).status).toBe(202);
  await rest.repos.deletePagesSite(about);
  await expect(rest.repos.getPages(about)).rejects.toMatchObject({ status: 404 });
});
