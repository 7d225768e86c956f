// Websites of repositories, their builds, and the check of their domains.
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { badRequest, orNotFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { cancelDeployment, createDeployment, findDeployedArtifact } from './deployments.ts';
import { ownHosts } from './domains.ts';
import { pageBuild, pageDeployment } from './path-resources.ts';
import { presentBuild, presentBuilds, presentDeploymentStatus, presentSite } from './present.ts';
import { enqueueCheck } from './queue.ts';
import {
  changeSite,
  createSite,
  deleteSite,
  demandPages,
  findChangedSource,
  findRequestedCommit,
  findSource,
  isHealthFresh,
  requestBuild,
  wantedSource,
} from './rules.ts';
import {
  HealthPending,
  NewPage,
  NewPageDeployment,
  Page,
  PageBuild,
  PageBuildStatus,
  PageChange,
  PageDeployment,
  PageDeploymentStatus,
  PagesHealth,
} from './schemas.ts';
import { findLatestBuild, findSite, listBuilds } from './store.ts';

const scopes = ['repo'] as const;
const reads = { scopes, role: 'read', permission: 'pages:read' } as const;
const builds = { scopes, role: 'write', permission: 'pages:write' } as const;
const administers = {
  scopes,
  role: 'maintain',
  permission: { allOf: ['administration:write', 'pages:write'] },
} as const;

export const getPages = endpoint({
  id: 'repos/get-pages',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pages',
  summary: 'Get a Pages site of a repository',
  access: reads,
  refuses: [404],
  replies: { 200: Page },
  async handle({ db, at: { repo }, links, services }) {
    const site = orNotFound(await findSite(db, repo.id));
    return presentSite({ links, pages: services.pages, url: repositoryUrlsOf(links, repo).url }, repo, site);
  },
});

export const createPages = endpoint({
  id: 'repos/create-pages-site',
  method: 'POST',
  path: '/repos/{owner}/{repo}/pages',
  summary: 'Create a Pages site of a repository',
  access: administers,
  refuses: [409, 422],
  body: NewPage,
  example: { build_type: 'legacy', source: { branch: 'main', path: '/' } },
  replies: { 201: Page },
  async handle({ db, change, at: { repo }, body, action, links, services }) {
    const pages = demandPages(services.pages);
    const wanted = wantedSource(action, body);
    const found = await findSource(services.git, repo.id, wanted);
    await change((scope) => createSite(scope, action, { ...found, build_type: wanted.build_type, pages }));
    const site = orNotFound(await findSite(db, repo.id));
    return presentSite({ links, pages, url: repositoryUrlsOf(links, repo).url }, repo, site);
  },
});

export const updatePages = endpoint({
  id: 'repos/update-information-about-pages-site',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/pages',
  summary: 'Update information about a Pages site',
  access: administers,
  refuses: [404, 422],
  body: PageChange,
  example: {
    cname: 'engine.example.com',
    https_enforced: false,
    build_type: 'legacy',
    public: true,
    source: { branch: 'main', path: '/docs' },
  },
  replies: { 204: Nothing },
  async handle({ db, change, at: { repo }, body, action, links, services }) {
    const pages = demandPages(services.pages);
    const found = await findChangedSource(services.git, orNotFound(await findSite(db, repo.id)), body);
    const own = ownHosts(services, links);
    await change((scope) => changeSite(scope, action, { wanted: body, found, pages, own }));
  },
});

export const deletePages = endpoint({
  id: 'repos/delete-pages-site',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/pages',
  summary: 'Delete a Pages site of a repository',
  access: administers,
  refuses: [404],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => deleteSite(scope, action));
  },
});

export const getPagesHealth = endpoint({
  id: 'repos/get-pages-health-check',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pages/health',
  summary: 'Get a DNS health check for Pages',
  access: administers,
  refuses: [404],
  replies: { 200: PagesHealth, 202: HealthPending },
  async handle({ db, change, at: { repo }, now, reply }) {
    const site = orNotFound(await findSite(db, repo.id));
    if (site.domain === null) throw badRequest('The website has no domain of its own.');
    if (!isHealthFresh(site, now)) await change((scope) => enqueueCheck(scope.tx, repo.id));
    return site.health ? reply(200, site.health) : reply(202, {});
  },
});

export const listPagesBuilds = endpoint({
  id: 'repos/list-pages-builds',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pages/builds',
  summary: 'List Pages builds of a repository',
  access: reads,
  paging: pages(),
  replies: { 200: Type.Array(PageBuild) },
  async handle({ scope, db, at: { repo }, page, links }) {
    const urls = repositoryUrlsOf(links, repo);
    return mapRows(await listBuilds(db, repo.id, page), (rows) => presentBuilds(scope, urls, rows));
  },
});

export const requestPagesBuild = endpoint({
  id: 'repos/request-pages-build',
  method: 'POST',
  path: '/repos/{owner}/{repo}/pages/builds',
  summary: 'Request a Pages build of a repository',
  access: builds,
  refuses: [404, 422],
  replies: { 201: PageBuildStatus },
  async handle({ db, change, at: { repo }, action, links, services }) {
    const commit = await findRequestedCommit(services.git, orNotFound(await findSite(db, repo.id)));
    await change((scope) => requestBuild(scope, action, commit));
    return { url: `${repositoryUrlsOf(links, repo).url}/pages/builds/latest`, status: 'queued' };
  },
});

export const getLatestPagesBuild = endpoint({
  id: 'repos/get-latest-pages-build',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pages/builds/latest',
  summary: 'Get the latest Pages build of a repository',
  access: reads,
  refuses: [404],
  replies: { 200: PageBuild },
  async handle({ scope, db, at: { repo }, links }) {
    const row = orNotFound(await findLatestBuild(db, repo.id));
    return presentBuild(scope, repositoryUrlsOf(links, repo), row);
  },
});

export const getPagesBuild = endpoint({
  id: 'repos/get-pages-build',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pages/builds/{build_id}',
  resources: [pageBuild],
  summary: 'Get a Pages build of a repository',
  access: reads,
  replies: { 200: PageBuild },
  async handle({ scope, at, links }) {
    return presentBuild(scope, repositoryUrlsOf(links, at.repo), at.build);
  },
});

export const createPagesDeployment = endpoint({
  id: 'repos/create-pages-deployment',
  method: 'POST',
  path: '/repos/{owner}/{repo}/pages/deployments',
  summary: 'Create a Pages deployment of a repository',
  access: builds,
  refuses: [404, 422],
  body: NewPageDeployment,
  example: {
    artifact_id: 1,
    environment: 'pages',
    pages_build_version: '4fd754f7e594640989b406850d0bc8f06a121251',
    oidc_token: 'ey.e30.x',
  },
  replies: { 200: PageDeployment },
  async handle({ scope, db, change, at: { repo }, body, action, links, services }) {
    const pages = demandPages(services.pages);
    const artifact = await findDeployedArtifact(scope, action, body);
    const { id } = await change((scope) => createDeployment(scope, action, artifact, body.pages_build_version));
    const { url } = repositoryUrlsOf(links, repo);
    const site = orNotFound(await findSite(db, repo.id));
    const page_url = presentSite({ links, pages, url }, repo, site).html_url ?? '';
    return { id, status_url: `${url}/pages/deployments/${id}`, page_url };
  },
});

export const getPagesDeployment = endpoint({
  id: 'repos/get-pages-deployment',
  method: 'GET',
  path: '/repos/{owner}/{repo}/pages/deployments/{pages_deployment_id}',
  resources: [pageDeployment],
  summary: 'Get the status of a Pages deployment',
  access: reads,
  replies: { 200: PageDeploymentStatus },
  async handle({ at }) {
    return presentDeploymentStatus(at.pageDeployment);
  },
});

export const cancelPagesDeployment = endpoint({
  id: 'repos/cancel-pages-deployment',
  method: 'POST',
  path: '/repos/{owner}/{repo}/pages/deployments/{pages_deployment_id}/cancel',
  resources: [pageDeployment],
  summary: 'Cancel a Pages deployment',
  access: builds,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { pageDeployment }) => cancelDeployment(scope, action, pageDeployment));
  },
});
