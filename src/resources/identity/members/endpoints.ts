// Members of organizations and their memberships, and the caller's own. For outside collaborators see `collaborators`.
import { Type } from 'typebox';
import { everyCredential, userCredentials } from '#access/tokens.ts';
import { mapEach, mapRows } from '#database/list.ts';
import { redirect } from '#endpoint/call.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { path } from '#endpoint/links.ts';
import { pages } from '#endpoint/paging.ts';
import { invalid, notFound, orNotFound } from '#lib/refusal.ts';
import { Nothing, OneOf, withDefault } from '#lib/shape.ts';
import { presentUser, User } from '#resources/identity/accounts/index.ts';
import { presentMembership, presentMemberships } from './present.ts';
import { acceptMembership, changeMembershipVisibility, removeMember, seesConcealed, setMembership } from './rules.ts';
import { Acceptance, Membership, MembershipChange, type MemberWord } from './schemas.ts';
import { findMembership, findOwnMembership, listMembers, listOwnMemberships } from './store.ts';

const reads = { permission: 'members:read', scopes: ['read:org'], credentials: everyCredential } as const;
const writes = { permission: 'members:write', scopes: ['admin:org'], credentials: everyCredential } as const;

const roleOf = (word: MemberWord) => (word === 'admin' ? 'owner' : 'member');

export const listOrgMembers = endpoint({
  id: 'orgs/list-members',
  method: 'GET',
  path: '/orgs/{org}/members',
  summary: 'List organization members',
  access: { ...reads, public: true },
  query: Type.Object({
    filter: withDefault(OneOf(['all', '2fa_disabled', '2fa_insecure']), 'all'),
    role: withDefault(OneOf(['all', 'admin', 'member']), 'all'),
  }),
  paging: pages(),
  replies: { 200: Type.Array(User) },
  async handle({ db, at, query, viewer, page, links }) {
    const visibility = seesConcealed(at.org, viewer) ? 'everybody' : 'public';
    if (query.filter !== 'all' && at.org.role !== 'owner')
      throw invalid('Member', 'filter', 'invalid', 'filter is for organization owners');
    // The filter selects accounts with a second factor by text message, which Hearth doesn't have.
    if (query.filter === '2fa_insecure') return { rows: [], total: 0 };
    const role = query.role === 'all' ? undefined : roleOf(query.role);
    const found = await listMembers(db, { organization: at.org.id, visibility, role, page });
    return mapEach(found, (row) => presentUser(links, row));
  },
});

export const checkMember = endpoint({
  id: 'orgs/check-membership-for-user',
  method: 'GET',
  path: '/orgs/{org}/members/{username}',
  summary: 'Check organization membership for a user',
  access: { ...reads, public: true },
  replies: { 204: Nothing },
  async handle({ db, at, viewer, links }) {
    // The redirect doesn't depend on whether the user is a member, since it would disclose that.
    if (!seesConcealed(at.org, viewer)) return redirect(path(`${links.api}/orgs`, at.org.login, 'public_members', at.user.login));
    const membership = await findMembership(db, at.org.id, at.user.id);
    if (membership?.state !== 'active') throw notFound();
  },
});

export const removeOrgMember = endpoint({
  id: 'orgs/remove-member',
  method: 'DELETE',
  path: '/orgs/{org}/members/{username}',
  summary: 'Remove an organization member',
  access: { ...writes, role: 'member' },
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => removeMember(scope, action));
  },
});

export const getOrgMembership = endpoint({
  id: 'orgs/get-membership-for-user',
  method: 'GET',
  path: '/orgs/{org}/memberships/{username}',
  summary: 'Get organization membership for a user',
  access: { ...reads, role: 'member' },
  replies: { 200: Membership },
  async handle({ scope, db, at, viewer }) {
    const membership = await findMembership(db, at.org.id, at.user.id);
    // Only owners, and apps with the permission, see invitations.
    const seesInvited = at.org.role === 'owner' || viewer.grant.kind === 'installation';
    if (!membership || (membership.state === 'pending' && !seesInvited)) throw notFound();
    return presentMembership(scope, membership);
  },
});

export const setOrgMembership = endpoint({
  id: 'orgs/set-membership-for-user',
  method: 'PUT',
  path: '/orgs/{org}/memberships/{username}',
  summary: 'Set organization membership for a user',
  access: { ...writes, role: 'owner' },
  body: MembershipChange,
  example: { role: 'member' },
  replies: { 200: Membership },
  async handle({ scope, change, body, action }) {
    const role = roleOf(body.role);
    const membership = await change((scope) => setMembership(scope, { ...action, role }));
    return presentMembership(scope, membership);
  },
});

export const removeOrgMembership = endpoint({
  id: 'orgs/remove-membership-for-user',
  method: 'DELETE',
  path: '/orgs/{org}/memberships/{username}',
  summary: 'Remove organization membership for a user',
  access: { ...writes, role: 'member' },
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => removeMember(scope, action));
  },
});

export const listPublicMembers = endpoint({
  id: 'orgs/list-public-members',
  method: 'GET',
  path: '/orgs/{org}/public_members',
  summary: 'List public organization members',
  access: { ...reads, public: true },
  paging: pages(),
  replies: { 200: Type.Array(User) },
  async handle({ db, at, page, links }) {
    const found = await listMembers(db, { organization: at.org.id, visibility: 'public', page });
    return mapEach(found, (row) => presentUser(links, row));
  },
});

export const checkPublicMember = endpoint({
  id: 'orgs/check-public-membership-for-user',
  method: 'GET',
  path: '/orgs/{org}/public_members/{username}',
  summary: 'Check public organization membership for a user',
  access: { ...reads, public: true },
  replies: { 204: Nothing },
  async handle({ db, at }) {
    const membership = await findMembership(db, at.org.id, at.user.id);
    if (membership?.state !== 'active' || !membership.public) throw notFound();
  },
});

const ownVisibility = { ...writes, scopes: ['user', 'write:org'], credentials: userCredentials, role: 'member' } as const;

export const publicizeMembership = endpoint({
  id: 'orgs/set-public-membership-for-authenticated-user',
  method: 'PUT',
  path: '/orgs/{org}/public_members/{username}',
  summary: 'Set public organization membership for the authenticated user',
  access: ownVisibility,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => changeMembershipVisibility(scope, { ...action, as: 'public' }));
  },
});

export const concealMembership = endpoint({
  id: 'orgs/remove-public-membership-for-authenticated-user',
  method: 'DELETE',
  path: '/orgs/{org}/public_members/{username}',
  summary: 'Remove public organization membership for the authenticated user',
  access: ownVisibility,
  replies: { 204: Nothing },
  async handle({ change, action }) {
    await change((scope) => changeMembershipVisibility(scope, { ...action, as: 'concealed' }));
  },
});

export const listMemberships = endpoint({
  id: 'orgs/list-memberships-for-authenticated-user',
  method: 'GET',
  path: '/user/memberships/orgs',
  summary: 'List organization memberships for the authenticated user',
  access: { ...reads, credentials: userCredentials },
  query: Type.Object({ state: Type.Optional(OneOf(['active', 'pending'])) }),
  paging: pages(),
  replies: { 200: Type.Array(Membership) },
  async handle({ scope, db, query, viewer, page }) {
    const found = await listOwnMemberships(db, viewer, query.state, page);
    return mapRows(found, (rows) => presentMemberships(scope, rows));
  },
});

export const getOwnMembership = endpoint({
  id: 'orgs/get-membership-for-authenticated-user',
  method: 'GET',
  path: '/user/memberships/orgs/{org}',
  summary: 'Get an organization membership for the authenticated user',
  access: { ...reads, credentials: userCredentials },
  replies: { 200: Membership },
  async handle({ scope, db, at, viewer }) {
    return presentMembership(scope, orNotFound(await findOwnMembership(db, at.org.id, viewer.account.id)));
  },
});

export const acceptOwnMembership = endpoint({
  id: 'orgs/update-membership-for-authenticated-user',
  method: 'PATCH',
  path: '/user/memberships/orgs/{org}',
  summary: 'Update an organization membership for the authenticated user',
  access: { ...writes, scopes: ['write:org'], credentials: userCredentials },
  body: Acceptance,
  example: { state: 'active' },
  replies: { 200: Membership },
  async handle({ scope, change, action, viewer }) {
    const membership = await change((scope) => acceptMembership(scope, { ...action, user: viewer.account }));
    return presentMembership(scope, membership);
  },
});
