// Deleting organizations with everything that they own.
import { Type } from 'typebox';
import { everyCredential } from '#access/tokens.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { deleteOrganization } from './rules.ts';

export const deleteOrg = endpoint({
  id: 'orgs/delete',
  method: 'DELETE',
  path: '/orgs/{org}',
  summary: 'Delete an organization',
  access: { permission: 'organization_administration:write', scopes: ['admin:org'], credentials: everyCredential, role: 'owner' },
  replies: { 202: Type.Object({}) },
  async handle({ change, action }) {
    await change((scope) => deleteOrganization(scope, action));
    return {};
  },
});
