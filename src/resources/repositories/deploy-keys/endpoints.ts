// Deploy keys: SSH keys with which machines access one repository.
import { Type } from 'typebox';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing } from '#lib/shape.ts';
import { deployKey } from './path-resources.ts';
import { presentDeployKey } from './present.ts';
import { createDeployKey, deleteDeployKey } from './rules.ts';
import { DeployKey, NewDeployKey } from './schemas.ts';
import { listDeployKeys } from './store.ts';

const administers = { scopes: ['repo'], role: 'admin' } as const;
const reads = { ...administers, permission: 'administration:read' } as const;
const writes = { ...administers, permission: 'administration:write' } as const;

export const listRepoDeployKeys = endpoint({
  id: 'repos/list-deploy-keys',
  method: 'GET',
  path: '/repos/{owner}/{repo}/keys',
  summary: 'List deploy keys',
  access: reads,
  paging: pages(),
  replies: { 200: Type.Array(DeployKey) },
  async handle({ db, at, page, links }) {
    return mapEach(await listDeployKeys(db, at.repo.id, page), (row) => presentDeployKey(links, at.repo, row));
  },
});

export const createRepoDeployKey = endpoint({
  id: 'repos/create-deploy-key',
  method: 'POST',
  path: '/repos/{owner}/{repo}/keys',
  summary: 'Create a deploy key',
  access: writes,
  body: NewDeployKey,
  example: {
    title: 'deployment',
    key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBslSJ8ghhArWfjO4L3Rg5YQny8noyxLEbeO3xSoyg36',
    read_only: true,
  },
  replies: { 201: DeployKey },
  async handle({ change, body, action, at, links }) {
    return presentDeployKey(links, at.repo, await change((scope) => createDeployKey(scope, action, body)));
  },
});

export const getRepoDeployKey = endpoint({
  id: 'repos/get-deploy-key',
  method: 'GET',
  path: '/repos/{owner}/{repo}/keys/{key_id}',
  resources: [deployKey],
  summary: 'Get a deploy key',
  access: reads,
  replies: { 200: DeployKey },
  async handle({ at, links }) {
    return presentDeployKey(links, at.repo, at.deployKey);
  },
});

export const deleteRepoDeployKey = endpoint({
  id: 'repos/delete-deploy-key',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/keys/{key_id}',
  resources: [deployKey],
  summary: 'Delete a deploy key',
  access: writes,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope, { deployKey }) => deleteDeployKey(scope, action, deployKey));
  },
});
