// Organizations: profile, settings, and the lists of a user's organizations.
import { Type } from 'typebox';
import { everyCredential, userCredentials } from '#access/tokens.ts';
import { type Grant, isScoped, type Org } from '#access/viewer.ts';
import { mapEach } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages, pagesSince } from '#endpoint/paging.ts';
import { countRepositories, OrganizationSimple, presentOrganization } from '#resources/identity/accounts/index.ts';
import { presentFullOrganization } from './present.ts';
import { changeOrganization } from './rules.ts';
import { OrganizationChange, OrganizationFull } from './schemas.ts';
import { getSettings, listOrganizations, listOrganizationsOf, listPublicOrganizationsOf } from './store.ts';

export const listAllOrganizations = endpoint({
  id: 'orgs/list',
  method: 'GET',
  path: '/organizations',
  summary: 'List organizations',
  access: { permission: { none: 'public' } },
  paging: pagesSince(),
  replies: { 200: Type.Array(OrganizationSimple) },
  async handle({ db, page, links }) {
    const { rows, next } = await listOrganizations(db, page);
    return { rows: rows.map((row) => presentOrganization(links, row, row.description)), next };
  },
});

export const getOrganization = endpoint({
  id: 'orgs/get',
  method: 'GET',
  path: '/orgs/{org}',
  summary: 'Get an organization',
  access: { permission: { none: 'public' } },
  replies: { 200: OrganizationFull },
  async handle({ db, at, links, viewer }) {
    const [settings, counts] = await Promise.all([getSettings(db, at.org.id), countRepositories(db, at.org.id)]);
    return presentFullOrganization(links, { ...at.org, settings }, counts, {
      settings: mayReadSettings(at.org, viewer.grant),
    });
  },
});

/** Owners read the settings with a user's token, and installations with their permission. */
const mayReadSettings = (org: Org, grant: Grant): boolean => {
  if (isScoped(grant)) return org.role === 'owner';
  const permitted = org.reached && org.held.organization_administration !== undefined;
  return permitted && (grant.kind === 'installation' || org.role === 'owner');
};

export const updateOrganization = endpoint({
  id: 'orgs/update',
  method: 'PATCH',
  path: '/orgs/{org}',
  summary: 'Update an organization',
  access: {
    permission: 'organization_administration:write',
    scopes: ['admin:org', 'repo'],
    credentials: everyCredential,
    role: 'owner',
  },
  body: OrganizationChange,
  example: { description: 'Engines and their parts' },
  replies: { 200: OrganizationFull },
  async handle({ db, change, at, body, action, links }) {
    const changed = await change((scope) => changeOrganization(scope, action, body));
    return presentFullOrganization(links, changed, await countRepositories(db, at.org.id), { settings: true });
  },
});

export const listOwnOrganizations = endpoint({
  id: 'orgs/list-for-authenticated-user',
  method: 'GET',
  path: '/user/orgs',
  summary: 'List organizations for the authenticated user',
  access: { permission: { none: 'own_account' }, scopes: ['read:org', 'user'], credentials: userCredentials },
  paging: pages(),
  replies: { 200: Type.Array(OrganizationSimple) },
  async handle({ db, viewer, page, links }) {
    const found = await listOrganizationsOf(db, viewer, page);
    return mapEach(found, (row) => presentOrganization(links, row, row.description));
  },
});

export const listUserOrganizations = endpoint({
  id: 'orgs/list-for-user',
  method: 'GET',
  path: '/users/{username}/orgs',
  summary: 'List organizations for a user',
  access: { permission: { none: 'public' } },
  paging: pages(),
  replies: { 200: Type.Array(OrganizationSimple) },
  async handle({ db, at, page, links }) {
    const found = await listPublicOrganizationsOf(db, at.user.id, page);
    return mapEach(found, (row) => presentOrganization(links, row, row.description));
  },
});
