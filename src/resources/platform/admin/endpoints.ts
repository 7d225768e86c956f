// Site administration: accounts, organizations, impersonation.
import { findUser } from '#access/lookup.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { invalid } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { createUser, OrganizationSimple, presentOrganization, presentUser, User } from '#resources/identity/accounts/index.ts';
import { createOrganization } from '#resources/identity/organizations/index.ts';
import { Authorization, presentAuthorization } from '#resources/repositories/apps/index.ts';
import { endImpersonation, impersonate, setSiteAdmin, suspendUser, unsuspendUser } from './rules.ts';
import { Impersonation, NewAccount, NewOrganizationAccount, Reason } from './schemas.ts';

const access = { permission: { none: 'site_admin' }, scopes: ['site_admin'], credentials: ['classic_pat', 'session'] } as const;

export const createUserByAdmin = endpoint({
  id: 'enterprise-admin/create-user',
  method: 'POST',
  path: '/admin/users',
  summary: 'Create a user',
  access,
  body: NewAccount,
  example: { login: 'grace', email: 'grace@example.com' },
  replies: { 201: User },
  async handle({ change, body, action, links, now }) {
    const { login, email, suspended } = body;
    const user = await change(async (scope) => {
      const created = await createUser(scope, { login, email, now });
      if (suspended) await suspendUser(scope, { ...action, user: created }, undefined);
      return created;
    });
    return presentUser(links, user);
  },
});

export const createOrganizationByAdmin = endpoint({
  id: 'enterprise-admin/create-org',
  method: 'POST',
  path: '/admin/organizations',
  summary: 'Create an organization',
  access,
  body: NewOrganizationAccount,
  example: { login: 'acme', admin: 'ada', profile_name: 'Acme' },
  replies: { 201: OrganizationSimple },
  async handle({ db, change, viewer, body, links, now }) {
    const owner = await findUser(db, body.admin);
    if (owner?.kind !== 'user') throw invalid('Organization', 'admin', 'invalid', 'admin must be a user');
    const name = body.profile_name;
    const org = await change((scope) =>
      createOrganization(scope, { login: body.login, name, owner, actor: viewer.account.id, now }),
    );
    return presentOrganization(links, org, org.settings.description);
  },
});

/** In the public API, an impersonation token belongs to an app. Hearth has no such app, so replies show this one. */
const administration = { client_id: '0'.repeat(20), name: 'Site administration' };

export const createImpersonationToken = endpoint({
  id: 'enterprise-admin/create-impersonation-o-auth-token',
  method: 'POST',
  path: '/admin/users/{username}/authorizations',
  summary: 'Create an impersonation token',
  access,
  body: Impersonation,
  example: { scopes: ['repo'] },
  replies: { 201: Authorization },
  async handle({ change, at, body, action, links }) {
    const { token, row } = await change((scope) => impersonate(scope, action, body.scopes));
    return presentAuthorization(links, { app: { ...administration, url: links.html }, user: at.user, row, token });
  },
});

export const deleteImpersonationToken = endpoint({
  id: 'enterprise-admin/delete-impersonation-o-auth-token',
  method: 'DELETE',
  path: '/admin/users/{username}/authorizations',
  summary: 'Delete an impersonation token',
  access,
  replies: { 204: Nothing },
  async handle({ change, at }) {
    await change((scope) => endImpersonation(scope, { user: at.user }));
  },
});

export const suspendUserByAdmin = endpoint({
  id: 'enterprise-admin/suspend-user',
  method: 'PUT',
  path: '/users/{username}/suspended',
  summary: 'Suspend a user',
  access,
  body: Reason,
  example: { reason: 'Left the company' },
  replies: { 204: Nothing },
  async handle({ change, action, body }) {
    await change((scope) => suspendUser(scope, action, body.reason));
  },
});

export const unsuspendUserByAdmin = endpoint({
  id: 'enterprise-admin/unsuspend-user',
  method: 'DELETE',
  path: '/users/{username}/suspended',
  summary: 'Unsuspend a user',
  access,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => unsuspendUser(scope, action));
  },
});

export const promoteToSiteAdmin = endpoint({
  id: 'enterprise-admin/promote-user-to-be-site-administrator',
  method: 'PUT',
  path: '/users/{username}/site_admin',
  summary: 'Promote a user to be a site administrator',
  access,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => setSiteAdmin(scope, { ...action, siteAdmin: true }));
  },
});

export const demoteFromSiteAdmin = endpoint({
  id: 'enterprise-admin/demote-site-administrator',
  method: 'DELETE',
  path: '/users/{username}/site_admin',
  summary: 'Demote a site administrator',
  access,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => setSiteAdmin(scope, { ...action, siteAdmin: false }));
  },
});
