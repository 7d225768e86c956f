// Hosted runners of an organization (document 2).
import { everyCredential } from '#access/tokens.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { enveloped, pages } from '#endpoint/paging.ts';
import type { Scope } from '#endpoint/scope.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { runner } from '../path-resources.ts';
import { presentRunners } from '../present.ts';
import { changeRunner, createRunner, deleteRunner } from '../rules.ts';
import { HostedRunner, HostedRunnerChange, NewHostedRunner } from '../schemas.ts';
import { listRunners, type RunnerRow } from '../store.ts';

const runners = { scopes: ['manage_runners:org'], credentials: everyCredential, role: 'owner' } as const;
const reads = { ...runners, permission: 'organization_administration:read' } as const;
const writes = { ...runners, permission: 'organization_administration:write' } as const;

const presentOne = async (scope: Scope, row: RunnerRow): Promise<HostedRunner> =>
  firstOrNotFound(await presentRunners(scope, [row]));

export const listHostedRunners = endpoint({
  id: 'actions/list-hosted-runners-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/hosted-runners',
  summary: 'List hosted runners for an organization',
  access: reads,
  paging: pages(),
  replies: { 200: enveloped('runners', HostedRunner) },
  async handle({ scope, db, at, page }) {
    return mapRows(await listRunners(db, at.org.id, { page }), (rows) => presentRunners(scope, rows));
  },
});

export const createHostedRunner = endpoint({
  id: 'actions/create-hosted-runner-for-org',
  method: 'POST',
  path: '/orgs/{org}/actions/hosted-runners',
  summary: 'Create a hosted runner for an organization',
  access: writes,
  body: NewHostedRunner,
  example: {
    name: 'builder',
    image: { id: 'ubuntu-24.04', source: 'service' },
    size: '4-core',
    runner_group_id: 1,
    maximum_runners: 20,
    enable_static_ip: false,
    image_gen: false,
  },
  replies: { 201: HostedRunner },
  async handle({ scope, change, body, action, services }) {
    const { catalogue, provider } = services.runners;
    return presentOne(scope, await change((scope) => createRunner(scope, { ...action, catalogue, provider }, body)));
  },
});

export const getHostedRunner = endpoint({
  id: 'actions/get-hosted-runner-for-org',
  method: 'GET',
  path: '/orgs/{org}/actions/hosted-runners/{hosted_runner_id}',
  resources: [runner],
  summary: 'Get a hosted runner for an organization',
  access: reads,
  replies: { 200: HostedRunner },
  handle: async ({ scope, at }) => presentOne(scope, at.runner),
});

export const updateHostedRunner = endpoint({
  id: 'actions/update-hosted-runner-for-org',
  method: 'PATCH',
  path: '/orgs/{org}/actions/hosted-runners/{hosted_runner_id}',
  resources: [runner],
  summary: 'Update a hosted runner for an organization',
  access: writes,
  body: HostedRunnerChange,
  example: { name: 'builder', maximum_runners: 50 },
  replies: { 200: HostedRunner },
  async handle({ scope, change, body, action, services }) {
    const { catalogue, provider } = services.runners;
    return presentOne(
      scope,
      await change((scope, { runner }) => changeRunner(scope, { ...action, catalogue, provider }, runner, body)),
    );
  },
});

export const deleteHostedRunner = endpoint({
  id: 'actions/delete-hosted-runner-for-org',
  method: 'DELETE',
  path: '/orgs/{org}/actions/hosted-runners/{hosted_runner_id}',
  resources: [runner],
  summary: 'Delete a hosted runner for an organization',
  access: writes,
  replies: { 202: HostedRunner },
  async handle({ scope, change, action }) {
    return presentOne(scope, await change((scope, { runner }) => deleteRunner(scope, action, runner)));
  },
});
