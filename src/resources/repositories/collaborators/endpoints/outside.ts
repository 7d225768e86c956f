// Outside collaborators of an organization: people with roles in its repositories who aren't members.
import { Type } from 'typebox';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Nothing, OneOf, withDefault } from '#lib/shape.ts';
import { presentUser, User } from '#resources/identity/accounts/index.ts';
import { convertToOutside, removeOutside } from '../rules.ts';
import { listOutsideCollaborators } from '../store.ts';

const writes = { permission: 'members:write', scopes: ['admin:org'], role: 'owner' } as const;

export const listOrgOutsideCollaborators = endpoint({
  id: 'orgs/list-outside-collaborators',
  method: 'GET',
  path: '/orgs/{org}/outside_collaborators',
  summary: 'List outside collaborators for an organization',
  access: { ...writes, permission: 'members:read', scopes: ['read:org'] },
  query: Type.Object({ filter: withDefault(OneOf(['all', '2fa_disabled', '2fa_insecure']), 'all') }),
  paging: pages(),
  replies: { 200: Type.Array(User) },
  async handle({ db, at, query, page, links }) {
    // The filter selects accounts with a second factor by text message, which Hearth doesn't have.
    if (query.filter === '2fa_insecure') return { rows: [], total: 0 };
    const found = await listOutsideCollaborators(db, at.org.id, page);
    return mapEach(found, (row) => presentUser(links, row));
  },
});

export const convertToOutsideCollaborator = endpoint({
  id: 'orgs/convert-member-to-outside-collaborator',
  method: 'PUT',
  path: '/orgs/{org}/outside_collaborators/{username}',
  summary: 'Convert an organization member to outside collaborator',
  access: writes,
  body: Type.Object({ async: withDefault(Type.Boolean(), false) }, { title: 'OutsideCollaborator' }),
  example: { async: false },
  replies: { 202: Type.Object({}), 204: Nothing },
  async handle({ change, body, action, reply }) {
    await change((scope) => convertToOutside(scope, action));
    return body.async ? reply(202, {}) : reply(204);
  },
});

export const removeOutsideCollaborator = endpoint({
  id: 'orgs/remove-outside-collaborator',
  method: 'DELETE',
  path: '/orgs/{org}/outside_collaborators/{username}',
  summary: 'Remove outside collaborator from an organization',
  access: writes,
  refuses: [422],
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => removeOutside(scope, action));
  },
});
