// Advisories about vulnerabilities of a repository: drafts, private reports, private forks, publication.
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pagesAndCursors } from '#endpoint/paging.ts';
import { gather, getOrThrow } from '#lib/collections.ts';
import { unprocessable } from '#lib/refusal.ts';
import {
  FullRepository,
  loadNamedRepositories,
  preparePrivateFork,
  presentFullRepository,
} from '#resources/repositories/repositories/index.ts';
import { forksAdvisories, reachIn, readsAdvisories, readsAllAdvisories, writesAdvisories } from './access.ts';
import { checkForkable, startFork } from './forks.ts';
import { repositoryAdvisory } from './path-resources.ts';
import { presentAdvisories, presentAdvisory } from './present.ts';
import { changeAdvisory, checkAdministered, createAdvisory, createWithFork, reportVulnerability } from './rules.ts';
import { AdvisoryChange, AdvisoryQuery, NewAdvisory, NewReport, RepositoryAdvisory } from './schemas.ts';
import { listAdvisories } from './store.ts';

const ofRepository = '/repos/{owner}/{repo}/security-advisories';
const one = `${ofRepository}/{advisory_id}` as const;

const example: NewAdvisory & NewReport = {
  summary: 'Tokens are logged',
  description: 'The log has every token in full.',
  vulnerabilities: [
    { package: { ecosystem: 'npm', name: 'engine' }, vulnerable_version_range: '< 1.2.3', patched_versions: '1.2.3' },
  ],
  severity: 'high',
  start_private_fork: false,
};

export const listRepositoryAdvisories = endpoint({
  id: 'security-advisories/list-repository-advisories',
  method: 'GET',
  path: ofRepository,
  summary: 'List repository security advisories',
  access: readsAdvisories,
  query: AdvisoryQuery,
  paging: pagesAndCursors(),
  replies: { 200: Type.Array(RepositoryAdvisory) },
  async handle({ scope, db, at: { repo }, query, page, viewer }) {
    const found = await listAdvisories(db, { repository: repo.id }, { reach: reachIn(viewer, repo), query, page });
    return mapRows(found, (rows) => presentAdvisories(scope, rows, () => repo, viewer));
  },
});

export const listOrgRepositoryAdvisories = endpoint({
  id: 'security-advisories/list-org-repository-advisories',
  method: 'GET',
  path: '/orgs/{org}/security-advisories',
  summary: 'List repository security advisories for an organization',
  access: readsAllAdvisories,
  query: AdvisoryQuery,
  paging: pagesAndCursors(),
  replies: { 200: Type.Array(RepositoryAdvisory) },
  async handle({ scope, db, at: { org }, query, page, viewer }) {
    const found = await listAdvisories(db, { owner: org.id, viewer }, { reach: { kind: 'all' }, query, page });
    return mapRows(found, async (rows) => {
      const named = await loadNamedRepositories(db, gather(rows, 'repository_id'));
      const repositoryOf = ({ repository_id }: (typeof rows)[number]) => getOrThrow(named, repository_id);
      return presentAdvisories(scope, rows, repositoryOf, viewer);
    });
  },
});

export const createRepositoryAdvisory = endpoint({
  id: 'security-advisories/create-repository-advisory',
  method: 'POST',
  path: ofRepository,
  summary: 'Create a repository security advisory',
  access: writesAdvisories,
  refuses: [422],
  body: NewAdvisory,
  example,
  replies: { 201: RepositoryAdvisory },
  async handle({ scope, change, at: { repo }, body, action, viewer }) {
    const row = body.start_private_fork
      ? await createWithFork(scope, action, body)
      : await change((scope) => createAdvisory(scope, action, body));
    return presentAdvisory(scope, row, repo, viewer);
  },
});

export const createPrivateReport = endpoint({
  id: 'security-advisories/create-private-vulnerability-report',
  method: 'POST',
  path: `${ofRepository}/reports`,
  summary: 'Privately report a security vulnerability',
  access: writesAdvisories,
  refuses: [422],
  body: NewReport,
  example,
  replies: { 201: RepositoryAdvisory },
  async handle({ scope, change, at: { repo }, body, action, viewer }) {
    const row = await change((scope) => reportVulnerability(scope, action, body));
    return presentAdvisory(scope, row, repo, viewer);
  },
});

export const getRepositoryAdvisory = endpoint({
  id: 'security-advisories/get-repository-advisory',
  method: 'GET',
  path: one,
  resources: [repositoryAdvisory],
  summary: 'Get a repository security advisory',
  access: readsAdvisories,
  replies: { 200: RepositoryAdvisory },
  async handle({ scope, at, viewer }) {
    return presentAdvisory(scope, at.repositoryAdvisory, at.repo, viewer);
  },
});

export const updateRepositoryAdvisory = endpoint({
  id: 'security-advisories/update-repository-advisory',
  method: 'PATCH',
  path: one,
  resources: [repositoryAdvisory],
  summary: 'Update a repository security advisory',
  access: writesAdvisories,
  refuses: [422],
  body: AdvisoryChange,
  example: { severity: 'critical', state: 'published' },
  replies: { 200: RepositoryAdvisory },
  async handle({ scope, change, at: { repo }, body, action, viewer }) {
    const row = await change((scope, at) => changeAdvisory(scope, action, at.repositoryAdvisory, body));
    return presentAdvisory(scope, row, repo, viewer);
  },
});

export const requestCve = endpoint({
  id: 'security-advisories/create-repository-advisory-cve-request',
  method: 'POST',
  path: `${one}/cve`,
  resources: [repositoryAdvisory],
  summary: 'Request a CVE for a repository security advisory',
  access: writesAdvisories,
  refuses: [422],
  replies: { 202: Type.Object({}) },
  async handle({ at }) {
    checkAdministered(at.repositoryAdvisory);
    throw unprocessable(
      'This server is no CVE numbering authority. Ask one for an identifier, and store it as the cve_id of the advisory.',
    );
  },
});

export const createPrivateFork = endpoint({
  id: 'security-advisories/create-fork',
  method: 'POST',
  path: `${one}/forks`,
  resources: [repositoryAdvisory],
  summary: 'Create a temporary private fork',
  access: forksAdvisories,
  refuses: [422],
  replies: { 202: FullRepository },
  async handle({ scope, change, at, action, services: { git } }) {
    checkAdministered(at.repositoryAdvisory);
    checkForkable(at.repositoryAdvisory);
    await using copy = await preparePrivateFork(git, at.repo);
    const row = await change((scope, { repositoryAdvisory }) => startFork(scope, { ...action, git }, repositoryAdvisory, copy));
    return presentFullRepository(scope, row, { owner: at.repo.owner, role: 'admin' });
  },
});
