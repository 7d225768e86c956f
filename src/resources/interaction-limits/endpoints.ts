// Limits on interactions in organizations and repositories, and on how many pull requests people may open in an organization.
import { Type } from 'typebox';
import { endpoint } from '#endpoint/endpoint.ts';
import { endpointVariants } from '#endpoint/variants.ts';
import { Nothing } from '#lib/shape.ts';
import { getSettings } from '#resources/organizations/index.ts';
import { capOf, changeCap } from './caps.ts';
import { deleteLimit, findLimitOf, presentLimit, setLimit } from './limits.ts';
import { CreationCap, CreationCapChange, InteractionLimit, NewInteractionLimit, NoLimit } from './schemas.ts';

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
      return presentLimit(await change((tx) => setLimit(tx, action, body)));
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
      await change((tx) => deleteLimit(tx, action));
    },
  },
);

/** Document 3 gives these to users' tokens alone: an app can't change an organization's cap. */
const byUsers = { tokens: ['classic_pat', 'oauth_app', 'fine_grained_pat'] } as const;

export const getCreationCap = endpoint({
  id: 'interactions/get-pull-request-creation-cap-for-org',
  method: 'GET',
  path: '/orgs/{org}/interaction-limits/pulls/creation-cap',
  summary: 'Get the pull request creation cap for an organization',
  access: { ...readsOrganization, ...byUsers },
  replies: { 200: CreationCap },
  async handle({ db, at }) {
    return capOf(await getSettings(db, at.org.id));
  },
});

export const updateCreationCap = endpoint({
  id: 'interactions/update-pull-request-creation-cap-for-org',
  method: 'PATCH',
  path: '/orgs/{org}/interaction-limits/pulls/creation-cap',
  summary: 'Update the pull request creation cap for an organization',
  access: { ...changesOrganization, ...byUsers },
  body: CreationCapChange,
  example: { enabled: true, max_open_pull_requests: 3 },
  replies: { 200: CreationCap },
  async handle({ change, body, action }) {
    return change((tx) => changeCap(tx, action, body));
  },
});
