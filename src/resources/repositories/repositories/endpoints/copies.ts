// Forks, copies of templates, and transfers.
import { Type } from 'typebox';
import { findNewOwner } from '#access/owner.ts';
import { readsMetadata } from '#access/policies.ts';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { firstOrNotFound, invalid } from '#lib/refusal.ts';
import { OneOf, withDefault } from '#lib/shape.ts';
import { checkTransferred } from '../arriving-workflows.ts';
import { forkRepository, generateFromTemplate, invalidForkOwner, transferRepository } from '../copies.ts';
import { identityOf } from '../initialize.ts';
import { presentFullRepository, presentRepositories } from '../present.ts';
import { FromTemplate, FullRepository, MinimalRepository, NewFork, Transfer } from '../schemas.ts';
import { listForks, type Order } from '../store.ts';

export const listRepositoryForks = endpoint({
  id: 'repos/list-forks',
  method: 'GET',
  path: '/repos/{owner}/{repo}/forks',
  summary: 'List forks',
  access: readsMetadata,
  query: Type.Object({ sort: withDefault(OneOf(['newest', 'oldest', 'stargazers', 'watchers']), 'newest') }),
  paging: pages(),
  replies: { 200: Type.Array(MinimalRepository) },
  async handle({ scope, db, at, query, page, viewer }) {
    const order: Order | 'stargazers' =
      query.sort === 'newest' || query.sort === 'oldest'
        ? { sort: 'created', direction: query.sort === 'newest' ? 'desc' : 'asc' }
        : 'stargazers';
    return mapRows(await listForks(db, viewer, at.repo.id, order, page), (rows) => presentRepositories(scope, rows));
  },
});

const copies = {
  permission: { allOf: ['administration:write', 'contents:read'] },
  scopes: ['repo'],
  role: 'read',
  archived: 'allowed',
  locked: 'allowed',
} as const;

export const createFork = endpoint({
  id: 'repos/create-fork',
  method: 'POST',
  path: '/repos/{owner}/{repo}/forks',
  summary: 'Create a fork',
  access: copies,
  body: NewFork,
  example: {},
  replies: { 202: FullRepository },
  async handle({ scope, db, at, viewer, body, action }) {
    const owner = await findNewOwner(db, viewer, body.organization, 'administration:write');
    if (!owner) throw invalidForkOwner();
    const onlyBranch = body.default_branch_only ? at.repo.default_branch : undefined;
    const { row, role } = await forkRepository(scope, { ...action, owner, name: body.name, onlyBranch });
    return presentFullRepository(scope, row, { owner, role });
  },
});

export const createFromTemplate = endpoint({
  id: 'repos/create-using-template',
  method: 'POST',
  path: '/repos/{template_owner}/{template_repo}/generate',
  summary: 'Create a repository using a template',
  access: copies,
  body: FromTemplate,
  example: { name: 'engine-copy' },
  replies: { 201: FullRepository },
  async handle({ scope, db, viewer, body, action, links, now }) {
    const { owner: login, include_all_branches, ...wanted } = body;
    const owner = await findNewOwner(db, viewer, login, 'administration:write');
    if (!owner) throw invalid('Repository', 'owner', 'invalid', 'owner is not an account for which you may create a repository');
    const identity = identityOf(viewer.account, links, now);
    const allBranches = include_all_branches ?? false;
    const row = await generateFromTemplate(scope, { ...action, owner, wanted, allBranches, identity });
    return presentFullRepository(scope, row, { owner, role: 'admin', showsSecurity: true });
  },
});

export const transferRepo = endpoint({
  id: 'repos/transfer',
  method: 'POST',
  path: '/repos/{owner}/{repo}/transfer',
  summary: 'Transfer a repository',
  access: {
    permission: 'administration:write',
    scopes: ['repo'],
    credentials: ['classic_pat', 'oauth_app', 'app_user', 'session'],
    role: 'admin',
    archived: 'allowed',
  },
  body: Transfer,
  example: { new_owner: 'acme' },
  replies: { 202: MinimalRepository },
  async handle({ scope, db, change, at, viewer, body, action }) {
    const to = await findNewOwner(db, viewer, body.new_owner, 'administration:write');
    if (!to)
      throw invalid('Repository', 'new_owner', 'invalid', 'new_owner is not an account to which you may transfer a repository');
    await checkTransferred(scope, { by: viewer, owner: to, source: at.repo });
    const row = await change((scope) =>
      transferRepository(scope, { ...action, to, name: body.new_name, teams: body.team_ids ?? [] }),
    );
    return firstOrNotFound(await presentRepositories(scope, [row]));
  },
});
