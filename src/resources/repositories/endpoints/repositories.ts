// Repositories: create, read, change, delete, topics.
import { Type } from 'typebox';
import { endpoint } from '#endpoint/endpoint.ts';
import { Nothing } from '#lib/shape.ts';
import { beginningOf } from '../fill.ts';
import { presentFullRepository } from '../present.ts';
import { changeRepository, createRepository, deleteRepository, replaceTopics } from '../rules.ts';
import { FullRepository, NewRepository, RepositoryChange, Topics } from '../schemas.ts';

export const createOwnRepository = endpoint({
  id: 'repos/create-for-authenticated-user',
  method: 'POST',
  path: '/user/repos',
  summary: 'Create a repository for the authenticated user',
  access: {
    permission: 'administration:write',
    scopes: ['public_repo', 'repo'],
    tokens: ['classic_pat', 'fine_grained_pat', 'oauth_app'], // document 3 gives it to no app
  },
  body: NewRepository,
  example: { name: 'engine', private: true },
  replies: { 201: FullRepository },
  async handle({ db, change, viewer, body, services: { git }, links, now }) {
    const fill = beginningOf({ git, account: viewer.account, links, now }, body);
    const row = await change((tx) =>
      createRepository(tx, { git, owner: viewer.account, by: viewer, wanted: body, ...(fill ? { fill } : {}), now }),
    );
    return presentFullRepository({ db, links, viewer }, row, viewer.account, 'admin');
  },
});

export const createOrgRepository = endpoint({
  id: 'repos/create-in-org',
  method: 'POST',
  path: '/orgs/{org}/repos',
  summary: 'Create an organization repository',
  access: { permission: 'administration:write', scopes: ['public_repo', 'repo'], role: 'member' },
  body: NewRepository,
  example: { name: 'engine', private: true },
  replies: { 201: FullRepository },
  async handle({ db, change, at, viewer, body, services: { git }, links, now }) {
    const fill = beginningOf({ git, account: viewer.account, links, now }, body);
    const row = await change((tx) =>
      createRepository(tx, { git, owner: at.org, by: viewer, wanted: body, ...(fill ? { fill } : {}), now }),
    );
    return presentFullRepository({ db, links, viewer }, row, at.org, 'admin');
  },
});

export const getRepository = endpoint({
  id: 'repos/get',
  method: 'GET',
  path: '/repos/{owner}/{repo}',
  summary: 'Get a repository',
  access: { permission: 'metadata:read', scopes: ['repo'], role: 'read', public: true },
  replies: { 200: FullRepository },
  async handle({ db, at, viewer, links }) {
    return presentFullRepository({ db, links, viewer }, at.repo, at.repo.owner, at.repo.role);
  },
});

const administer = { permission: 'administration:write', scopes: ['repo'], role: 'admin', archived: 'allowed' } as const;

export const updateRepository = endpoint({
  id: 'repos/update',
  method: 'PATCH',
  path: '/repos/{owner}/{repo}',
  summary: 'Update a repository',
  access: administer,
  body: RepositoryChange,
  example: { description: 'Steam and rotary engines' },
  refuses: [409],
  replies: { 200: FullRepository },
  async handle({ db, change, at, viewer, body, services: { git }, links, now }) {
    const row = await change((tx) => changeRepository(tx, { git, repo: at.repo, by: viewer, wanted: body, now }));
    return presentFullRepository({ db, links, viewer }, row, at.repo.owner, at.repo.role);
  },
});

export const deleteRepo = endpoint({
  id: 'repos/delete',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}',
  summary: 'Delete a repository',
  access: { ...administer, scopes: ['delete_repo'] },
  replies: { 204: Nothing },
  async handle({ change, at, viewer, now }) {
    await change((tx) => deleteRepository(tx, { repo: at.repo, by: viewer, now }));
  },
});

export const getTopics = endpoint({
  id: 'repos/get-all-topics',
  method: 'GET',
  path: '/repos/{owner}/{repo}/topics',
  summary: 'Get all repository topics',
  access: { permission: 'metadata:read', scopes: ['repo'], role: 'read', public: true },
  replies: { 200: Type.Object({ names: Type.Array(Type.String()) }) },
  async handle({ at }) {
    return { names: at.repo.topics };
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
  async handle({ change, at, viewer, body, now }) {
    return { names: await change((tx) => replaceTopics(tx, { repo: at.repo, by: viewer, names: body.names, now })) };
  },
});
