// Self-hosted runners of organizations and repositories.
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { timestamp } from '#lib/time.ts';
import { orgRunner, repoRunner } from '../path-resources.ts';
import { presentRunners } from '../present.ts';
import { createJitRunner, createRunnerToken, deleteRunner } from '../rules.ts';
import { JitRunner, NewJitRunner, Runner, RunnerDownload, RunnerToken } from '../schemas.ts';
import { listRunners, type RunnerOwner } from '../store.ts';
import { readsOrgRunners, readsRepoRunners, writesOrgRunners, writesRepoRunners } from './access.ts';

type Below = { readonly org?: { readonly id: number } | undefined; readonly repo?: { readonly id: number } | undefined };

/** The owner of the runners that a path names. */
// ids of the path's rows
const ownerOf = (at: Below): RunnerOwner => (at.repo ? { repository: at.repo.id } : { organization: at.org?.id }) as RunnerOwner;

export const { org: listOrgRunners, repo: listRepoRunners } = endpointVariants(
  {
    org: {
      path: '/orgs/{org}/actions/runners',
      id: 'actions/list-self-hosted-runners-for-org',
      summary: 'List self-hosted runners for an organization',
      access: readsOrgRunners,
    },
    repo: {
      path: '/repos/{owner}/{repo}/actions/runners',
      id: 'actions/list-self-hosted-runners-for-repo',
      summary: 'List self-hosted runners for a repository',
      access: readsRepoRunners,
    },
  },
  {
    method: 'GET',
    query: Type.Object({ name: Type.Optional(Type.String({ maxLength: 64 })) }),
    paging: pages(),
    replies: { 200: enveloped('runners', Runner) },
    async handle({ scope, db, at, query, page }) {
      return mapRows(await listRunners(db, ownerOf(at), { name: query.name, page }), (rows) => presentRunners(scope, rows));
    },
  },
);

export const { org: listOrgRunnerDownloads, repo: listRepoRunnerDownloads } = endpointVariants(
  {
    org: {
      path: '/orgs/{org}/actions/runners/downloads',
      id: 'actions/list-runner-applications-for-org',
      summary: 'List runner applications for an organization',
      access: readsOrgRunners,
    },
    repo: {
      path: '/repos/{owner}/{repo}/actions/runners/downloads',
      id: 'actions/list-runner-applications-for-repo',
      summary: 'List runner applications for a repository',
      access: readsRepoRunners,
    },
  },
  {
    method: 'GET',
    replies: { 200: Type.Array(RunnerDownload) },
    // Hearth provides no runner programs. docs/runners.md lists programs of other projects.
    handle: async () => [],
  },
);

export const { org: createOrgRegistrationToken, repo: createRepoRegistrationToken } = endpointVariants(
  {
    org: {
      path: '/orgs/{org}/actions/runners/registration-token',
      id: 'actions/create-registration-token-for-org',
      summary: 'Create a registration token for an organization',
      access: writesOrgRunners,
    },
    repo: {
      path: '/repos/{owner}/{repo}/actions/runners/registration-token',
      id: 'actions/create-registration-token-for-repo',
      summary: 'Create a registration token for a repository',
      access: writesRepoRunners,
    },
  },
  {
    method: 'POST',
    replies: { 201: RunnerToken },
    async handle({ change, at, action }) {
      const made = await change((scope) => createRunnerToken(scope, ownerOf(at), { purpose: 'registration', now: action.now }));
      return { token: made.token, expires_at: timestamp(made.expires_at) };
    },
  },
);

export const { org: createOrgRemoveToken, repo: createRepoRemoveToken } = endpointVariants(
  {
    org: {
      path: '/orgs/{org}/actions/runners/remove-token',
      id: 'actions/create-remove-token-for-org',
      summary: 'Create a remove token for an organization',
      access: writesOrgRunners,
    },
    repo: {
      path: '/repos/{owner}/{repo}/actions/runners/remove-token',
      id: 'actions/create-remove-token-for-repo',
      summary: 'Create a remove token for a repository',
      access: writesRepoRunners,
    },
  },
  {
    method: 'POST',
    replies: { 201: RunnerToken },
    async handle({ change, at, action }) {
      const made = await change((scope) => createRunnerToken(scope, ownerOf(at), { purpose: 'removal', now: action.now }));
      return { token: made.token, expires_at: timestamp(made.expires_at) };
    },
  },
);

export const { org: createOrgJitRunner, repo: createRepoJitRunner } = endpointVariants(
  {
    org: {
      path: '/orgs/{org}/actions/runners/generate-jitconfig',
      refuses: [409],
      id: 'actions/generate-runner-jitconfig-for-org',
      summary: 'Create configuration for a just-in-time runner for an organization',
      access: writesOrgRunners,
    },
    repo: {
      path: '/repos/{owner}/{repo}/actions/runners/generate-jitconfig',
      refuses: [409],
      id: 'actions/generate-runner-jitconfig-for-repo',
      summary: 'Create configuration for a just-in-time runner for a repository',
      access: writesRepoRunners,
    },
  },
  {
    method: 'POST',
    body: NewJitRunner,
    example: { name: 'once', runner_group_id: 1, labels: ['self-hosted', 'linux'], work_folder: '_work' },
    replies: { 201: JitRunner },
    async handle({ scope, change, at, body, action: { now }, links }) {
      const made = await change((scope) => createJitRunner(scope, ownerOf(at), body, { address: links.html, now }));
      return { runner: firstOrNotFound(await presentRunners(scope, [made.runner])), encoded_jit_config: made.config };
    },
  },
);

export const { org: getOrgRunner, repo: getRepoRunner } = endpointVariants(
  {
    org: {
      path: '/orgs/{org}/actions/runners/{runner_id}',
      resources: [orgRunner],
      id: 'actions/get-self-hosted-runner-for-org',
      summary: 'Get a self-hosted runner for an organization',
      access: readsOrgRunners,
    },
    repo: {
      path: '/repos/{owner}/{repo}/actions/runners/{runner_id}',
      resources: [repoRunner],
      id: 'actions/get-self-hosted-runner-for-repo',
      summary: 'Get a self-hosted runner for a repository',
      access: readsRepoRunners,
    },
  },
  {
    method: 'GET',
    replies: { 200: Runner },
    async handle({ scope, at }) {
      return firstOrNotFound(await presentRunners(scope, [at.selfHostedRunner]));
    },
  },
);

export const { org: deleteOrgRunner, repo: deleteRepoRunner } = endpointVariants(
  {
    org: {
      path: '/orgs/{org}/actions/runners/{runner_id}',
      resources: [orgRunner],
      id: 'actions/delete-self-hosted-runner-from-org',
      summary: 'Delete a self-hosted runner from an organization',
      access: writesOrgRunners,
      refuses: [422],
    },
    repo: {
      path: '/repos/{owner}/{repo}/actions/runners/{runner_id}',
      resources: [repoRunner],
      id: 'actions/delete-self-hosted-runner-from-repo',
      summary: 'Delete a self-hosted runner from a repository',
      access: writesRepoRunners,
      refuses: [422],
    },
  },
  {
    method: 'DELETE',
    replies: { 204: Nothing },
    async handle({ change }) {
      await change((scope, { selfHostedRunner }) => deleteRunner(scope, selfHostedRunner));
    },
  },
);
