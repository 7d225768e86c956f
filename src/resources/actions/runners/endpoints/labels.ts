// Labels of self-hosted runners. People add and remove custom labels. The labels that a runner reports stay.
import { type Static, Type } from 'typebox';
import { endpointVariants } from '#endpoint/variants.ts';
import { orgRunner, orgRunnerLabel, repoRunner, repoRunnerLabel } from '../path-resources.ts';
import { presentLabels } from '../present.ts';
import { setLabels } from '../rules.ts';
import { AllLabels, NewLabels, RunnerLabel } from '../schemas.ts';
import type { RunnerRow } from '../store.ts';
import { readsOrgRunners, readsRepoRunners, writesOrgRunners, writesRepoRunners } from './access.ts';

const Labels = Type.Object({ total_count: Type.Integer(), labels: Type.Array(RunnerLabel) });

const presented = (row: RunnerRow): Static<typeof Labels> => {
  const labels = presentLabels(row);
  return { total_count: labels.length, labels };
};

const paths = {
  org: { path: '/orgs/{org}/actions/runners/{runner_id}/labels', resources: [orgRunner] },
  repo: { path: '/repos/{owner}/{repo}/actions/runners/{runner_id}/labels', resources: [repoRunner] },
} as const;

export const { org: listOrgRunnerLabels, repo: listRepoRunnerLabels } = endpointVariants(
  {
    org: {
      ...paths.org,
      id: 'actions/list-labels-for-self-hosted-runner-for-org',
      summary: 'List labels for a self-hosted runner for an organization',
      access: readsOrgRunners,
    },
    repo: {
      ...paths.repo,
      id: 'actions/list-labels-for-self-hosted-runner-for-repo',
      summary: 'List labels for a self-hosted runner for a repository',
      access: readsRepoRunners,
    },
  },
  { method: 'GET', replies: { 200: Labels }, handle: async ({ at }) => presented(at.selfHostedRunner) },
);

export const { org: addOrgRunnerLabels, repo: addRepoRunnerLabels } = endpointVariants(
  {
    org: {
      ...paths.org,
      id: 'actions/add-custom-labels-to-self-hosted-runner-for-org',
      summary: 'Add custom labels to a self-hosted runner for an organization',
      access: writesOrgRunners,
    },
    repo: {
      ...paths.repo,
      id: 'actions/add-custom-labels-to-self-hosted-runner-for-repo',
      summary: 'Add custom labels to a self-hosted runner for a repository',
      access: writesRepoRunners,
    },
  },
  {
    method: 'POST',
    body: NewLabels,
    example: { labels: ['gpu'] },
    replies: { 200: Labels },
    async handle({ change, body }) {
      return presented(
        await change((scope, { selfHostedRunner: row }) => setLabels(scope, row, [...row.custom_labels, ...body.labels])),
      );
    },
  },
);

export const { org: setOrgRunnerLabels, repo: setRepoRunnerLabels } = endpointVariants(
  {
    org: {
      ...paths.org,
      id: 'actions/set-custom-labels-for-self-hosted-runner-for-org',
      summary: 'Set custom labels for a self-hosted runner for an organization',
      access: writesOrgRunners,
    },
    repo: {
      ...paths.repo,
      id: 'actions/set-custom-labels-for-self-hosted-runner-for-repo',
      summary: 'Set custom labels for a self-hosted runner for a repository',
      access: writesRepoRunners,
    },
  },
  {
    method: 'PUT',
    body: AllLabels,
    example: { labels: ['gpu', 'fast'] },
    replies: { 200: Labels },
    async handle({ change, body }) {
      return presented(await change((scope, { selfHostedRunner }) => setLabels(scope, selfHostedRunner, body.labels)));
    },
  },
);

export const { org: removeOrgRunnerLabels, repo: removeRepoRunnerLabels } = endpointVariants(
  {
    org: {
      ...paths.org,
      id: 'actions/remove-all-custom-labels-from-self-hosted-runner-for-org',
      summary: 'Remove all custom labels from a self-hosted runner for an organization',
      access: writesOrgRunners,
    },
    repo: {
      ...paths.repo,
      id: 'actions/remove-all-custom-labels-from-self-hosted-runner-for-repo',
      summary: 'Remove all custom labels from a self-hosted runner for a repository',
      access: writesRepoRunners,
    },
  },
  {
    method: 'DELETE',
    replies: { 200: Labels },
    async handle({ change }) {
      return presented(await change((scope, { selfHostedRunner }) => setLabels(scope, selfHostedRunner, [])));
    },
  },
);

export const { org: removeOrgRunnerLabel, repo: removeRepoRunnerLabel } = endpointVariants(
  {
    org: {
      path: '/orgs/{org}/actions/runners/{runner_id}/labels/{name}',
      resources: [orgRunner, orgRunnerLabel],
      id: 'actions/remove-custom-label-from-self-hosted-runner-for-org',
      summary: 'Remove a custom label from a self-hosted runner for an organization',
      access: writesOrgRunners,
    },
    repo: {
      path: '/repos/{owner}/{repo}/actions/runners/{runner_id}/labels/{name}',
      resources: [repoRunner, repoRunnerLabel],
      id: 'actions/remove-custom-label-from-self-hosted-runner-for-repo',
      summary: 'Remove a custom label from a self-hosted runner for a repository',
      access: writesRepoRunners,
    },
  },
  {
    method: 'DELETE',
    replies: { 200: Labels },
    async handle({ change, at }) {
      return presented(
        await change((scope, { selfHostedRunner: row }) =>
          setLabels(
            scope,
            row,
            row.custom_labels.filter((name) => name !== at.runnerLabel),
          ),
        ),
      );
    },
  },
);
