// Limits on interactions in organizations and repositories, and on the number of people's open pull requests.
import { Type } from 'typebox';
import { endpoint } from '#endpoint/endpoint.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { Nothing } from '#lib/shape.ts';
import { presentUser, User } from '#resources/identity/accounts/index.ts';
import { listBypasses } from './cap-store.ts';
import { bypassCap, changeCap, getCapOf, obeyCap } from './caps.ts';
import { deleteLimit, findLimitOf, presentLimit, setLimit } from './limits.ts';
import { BypassList, CreationCap, CreationCapChange, InteractionLimit, NewInteractionLimit, NoLimit } from './schemas.ts';

const ownsOrganization = { scopes: ['admin:org'], role: 'owner' } as const;
const readsOrganization = { ...ownsOrganization, permission: 'organization_administration:read' } as const;
const changesOrganization = { ...ownsOrganization, permission: 'organization_administration:write' } as const;

const administersRepository = { scopes: ['repo'], role: 'admin' } as const;
const readsRepository = { ...administersRepository, permission: 'administration:read' } as const;
const changesRepository = { ...administersRepository, permission: 'administration:write' } as const;

const ofOrganization = '/orgs/{org}/interaction-limits';
const ofRepository = '/repos/{owner}/{repo}/interaction-limits';

export const { org: getOrgLimit, repo: getRepoLimit } = endpointVariants(
  {
    org: {
      id: 'interactions/get-restrictions-for-org',
      path: ofOrganization,
      summary: 'Get interaction restrictions for an organization',
      access: readsOrganization,
    },
    repo: {
      id: 'interactions/get-restrictions-for-repo',
      path: ofRepository,
      summary: 'Get interaction restrictions for a repository',
      access: readsRepository,
    },
  },
  {
    method: 'GET',
    replies: { 200: Type.Union([InteractionLimit, NoLimit]) },
    async handle({ db, at, now }) {
      const limit = await findLimitOf(db, at, now);
      return limit ? presentLimit(limit) : {};
    },
  },
);

export const { org: setOrgLimit, repo: setRepoLimit } = endpointVariants(
  {
    org: {
      id: 'interactions/set-restrictions-for-org',
      path: ofOrganization,
      summary: 'Set interaction restrictions for an organization',
      access: changesOrganization,
    },
    repo: {
      id: 'interactions/set-restrictions-for-repo',
      path: ofRepository,
      summary: 'Set interaction restrictions for a repository',
      access: changesRepository,
      refuses: [409],
    },
  },
  {
    method: 'PUT',
    body: NewInteractionLimit,
    example: { limit: 'collaborators_only', expiry: 'one_week' },
    replies: { 200: InteractionLimit },
    async handle({ change, body, action }) {
      return presentLimit(await change((scope) => setLimit(scope, action, body)));
    },
  },
);

export const { org: deleteOrgLimit, repo: deleteRepoLimit } = endpointVariants(
  {
    org: {
      id: 'interactions/remove-restrictions-for-org',
      path: ofOrganization,
      summary: 'Remove interaction restrictions for an organization',
      access: changesOrganization,
    },
    repo: {
      id: 'interactions/remove-restrictions-for-repo',
      path: ofRepository,
      summary: 'Remove interaction restrictions for a repository',
      access: changesRepository,
      refuses: [409],
    },
  },
  {
    method: 'DELETE',
    replies: { 204: Nothing },
    async handle({ change, action }) {
      await change((scope) => deleteLimit(scope, action));
    },
  },
);

/** Document 3 allows these only for user tokens, so apps can't change a cap. */
const byUsers = { credentials: ['classic_pat', 'oauth_app', 'fine_grained_pat', 'session'] } as const;
/** Document 3 requires administration of the repository even for reading its cap. */
const administersCap = { ...changesRepository, ...byUsers };

export const { org: getCreationCap, repo: getRepoCreationCap } = endpointVariants(
  {
    org: {
      id: 'interactions/get-pull-request-creation-cap-for-org',
      path: `${ofOrganization}/pulls/creation-cap`,
      summary: 'Get the pull request creation cap for an organization',
      access: { ...readsOrganization, ...byUsers },
    },
    repo: {
      id: 'interactions/get-pull-request-creation-cap-for-repo',
      path: `${ofRepository}/pulls/creation-cap`,
      summary: 'Get the pull request creation cap for a repository',
      access: administersCap,
    },
  },
  {
    method: 'GET',
    replies: { 200: CreationCap },
    async handle({ db, at }) {
      return getCapOf(db, at);
    },
  },
);

export const { org: updateCreationCap, repo: updateRepoCreationCap } = endpointVariants(
  {
    org: {
      id: 'interactions/update-pull-request-creation-cap-for-org',
      path: `${ofOrganization}/pulls/creation-cap`,
      summary: 'Update the pull request creation cap for an organization',
      access: { ...changesOrganization, ...byUsers },
    },
    repo: {
      id: 'interactions/update-pull-request-creation-cap-for-repo',
      path: `${ofRepository}/pulls/creation-cap`,
      summary: 'Update the pull request creation cap for a repository',
      access: administersCap,
    },
  },
  {
    method: 'PATCH',
    body: CreationCapChange,
    example: { enabled: true, max_open_pull_requests: 3 },
    replies: { 200: CreationCap },
    async handle({ change, body, action }) {
      return change((scope) => changeCap(scope, action, body));
    },
  },
);

export const getBypassList = endpoint({
  id: 'interactions/get-pull-request-bypass-list-for-repo',
  method: 'GET',
  path: '/repos/{owner}/{repo}/interaction-limits/pulls/bypass-list',
  summary: 'Get the pull request creation cap bypass list for a repository',
  access: administersCap,
  replies: { 200: Type.Array(User) },
  async handle({ db, at, links }) {
    return (await listBypasses(db, at.repo.id)).map((user) => presentUser(links, user));
  },
});

export const addToBypassList = endpoint({
  id: 'interactions/set-pull-request-bypass-list-for-repo',
  method: 'PUT',
  path: '/repos/{owner}/{repo}/interaction-limits/pulls/bypass-list',
  summary: 'Add users to the pull request creation cap bypass list for a repository',
  access: administersCap,
  body: BypassList,
  example: { users: ['grace'] },
  replies: { 204: Nothing },
  async handle({ change, body, action }) {
    await change((scope) => bypassCap(scope, action, body.users));
  },
});

export const removeFromBypassList = endpoint({
  id: 'interactions/remove-pull-request-bypass-list-for-repo',
  method: 'DELETE',
  path: '/repos/{owner}/{repo}/interaction-limits/pulls/bypass-list',
  summary: 'Remove users from the pull request creation cap bypass list for a repository',
  access: administersCap,
  body: BypassList,
  example: { users: ['grace'] },
  replies: { 204: Nothing },
  async handle({ change, body, action }) {
    await change((scope) => obeyCap(scope, action, body.users));
  },
});
