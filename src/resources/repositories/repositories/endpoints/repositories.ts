// Repositories: create, read, change, delete, topics.
import { Type } from 'typebox';
import type { ActionContext } from '#access/action.ts';
import type { NewOwner } from '#access/owner.ts';
import { readsMetadata } from '#access/policies.ts';
import type { SharedCall } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pageOut, pagesInside } from '#endpoint/paging.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { Nothing } from '#lib/shape.ts';
import { deleteRepository } from '../deletion.ts';
import { initialCommitOf } from '../initialize.ts';
import { presentFullRepository } from '../present.ts';
import { type Creation, changeRepository, createRepository } from '../rules.ts';
import { FullRepository, NewOrganizationRepository, NewRepository, RepositoryChange, Topics } from '../schemas.ts';
import { maySeeSecurity } from '../security.ts';
import { replaceTopics } from '../topics.ts';

type CreateCall = SharedCall<{ body: NewRepository; action: ActionContext }>;
type More = Pick<Creation, 'properties'>;

async function createFor(owner: NewOwner, call: CreateCall, more: More = {}) {
  const { scope, change, body, action, git } = call;
  const initialize = initialCommitOf(scope, action.by.account, body);
  const row = await change((scope) =>
    createRepository(scope, { ...action, git, owner, wanted: body, ...more, ...(initialize ? { initialize } : {}) }),
  );
  return presentFullRepository(scope, row, { owner, role: 'admin', showsSecurity: true });
}

export const createOwnRepository = endpoint({
  id: 'repos/create-for-authenticated-user',
  method: 'POST',
  path: '/user/repos',
  summary: 'Create a repository for the authenticated user',
  access: {
    permission: 'administration:write',
    scopes: ['public_repo', 'repo'],
    credentials: ['classic_pat', 'fine_grained_pat', 'oauth_app', 'session'], // document 3: not for tokens of apps
  },
  body: NewRepository,
  example: { name: 'engine', private: true },
  replies: { 201: FullRepository },
  handle: (call) => createFor(call.viewer.account, call),
});

export const createOrgRepository = endpoint({
  id: 'repos/create-in-org',
  method: 'POST',
  path: '/orgs/{org}/repos',
  summary: 'Create an organization repository',
  access: { permission: 'administration:write', scopes: ['public_repo', 'repo'], role: 'member' },
  body: NewOrganizationRepository,
  example: { name: 'engine', private: true },
  replies: { 201: FullRepository },
  handle({ body: { custom_properties: properties = {}, ...body }, ...call }) {
    return createFor(call.at.org, { ...call, body }, { properties });
  },
});

export const { named: getRepository, byId: getRepositoryById } = endpointVariants(
  {
    named: { id: 'repos/get', path: '/repos/{owner}/{repo}', summary: 'Get a repository', access: readsMetadata },
    byId: {
      id: 'repos/get-by-id',
      path: '/repositories/{repository_id}',
      summary: 'Get a repository using its ID',
      access: readsMetadata,
    },
  },
  {
    method: 'GET',
    replies: { 200: FullRepository },
    async handle({ scope, at, viewer }) {
      const { owner, role } = at.repo;
      const showsSecurity = maySeeSecurity(viewer, at.repo);
      return presentFullRepository(scope, at.repo, { owner, role, showsSecurity });
    },
  },
);

const administer = { permission: 'administration:write', scopes: ['repo'], role: 'admin', archived: 'allowed' } as const;

export const updateRepository = endpoint({
  id: 'repos/update',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}',
  summary: 'Update a repository',
  access: { ...administer, orRole: 'security_manager' },
  body: RepositoryChange,
  example: { description: 'Steam and rotary engines' },
  refuses: [409],
  replies: { 200: FullRepository },
  async handle({ scope, change, at, body, action, services: { git } }) {
    const row = await change((scope) => changeRepository(scope, { ...action, git }, body));
    const { owner, role } = at.repo;
    return presentFullRepository(scope, row, { owner, role, showsSecurity: true });
  },
});

export const deleteRepo = endpoint({
  id: 'repos/delete',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}',
  summary: 'Delete a repository',
  access: { ...administer, scopes: ['delete_repo'], locked: 'allowed' },
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => deleteRepository(scope, action));
  },
});

export const getTopics = endpoint({
  id: 'repos/get-all-topics',
  method: 'GET',
  path: '/repos/{owner}/{repo}/topics',
  summary: 'Get all repository topics',
  access: readsMetadata,
  paging: pagesInside(),
  replies: { 200: Type.Object({ names: Type.Array(Type.String()) }) },
  async handle({ at, page }) {
    const { rows, total } = pageOut(at.repo.topics, page);
    return { body: { names: rows }, total };
  },
});

export const putTopics = endpoint({
  id: 'repos/replace-all-topics',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/topics',
  summary: 'Replace all repository topics',
  access: { permission: 'administration:write', scopes: ['repo'], role: 'maintain' },
  body: Topics,
  example: { names: ['engines', 'steam'] },
  replies: { 200: Type.Object({ names: Type.Array(Type.String()) }) },
  async handle({ change, body, action }) {
    return { names: await change((scope) => replaceTopics(scope, action, body.names)) };
  },
});
