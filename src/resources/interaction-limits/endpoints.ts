// Limits on how many pull requests people may open in an organization.
import { endpoint } from '#endpoint/endpoint.ts';
import { getSettings } from '#resources/organizations/index.ts';
import { capOf, changeCap } from './caps.ts';
import { CreationCap, CreationCapChange } from './schemas.ts';

/** Document 3 gives these to users' tokens alone: an app can't change an organization's limits. */
const administers = {
  scopes: ['admin:org'],
  tokens: ['classic_pat', 'oauth_app', 'fine_grained_pat'],
  role: 'owner',
} as const;

export const getCreationCap = endpoint({
  id: 'interactions/get-pull-request-creation-cap-for-org',
  method: 'GET',
  path: '/orgs/{org}/interaction-limits/pulls/creation-cap',
  summary: 'Get the pull request creation cap for an organization',
  access: { ...administers, permission: 'organization_administration:read' },
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
  access: { ...administers, permission: 'organization_administration:write' },
  body: CreationCapChange,
  example: { enabled: true, max_open_pull_requests: 3 },
  replies: { 200: CreationCap },
  async handle({ change, body, action }) {
    return change((tx) => changeCap(tx, action, body));
  },
});
