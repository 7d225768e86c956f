// Who may do what: people, teams, keys, apps and tokens.

import { pagePath } from '#console/components/address.ts';
import { emptyState, pager } from '#console/components/lists.ts';
import { permissionTexts } from '#console/components/permissions.ts';
import { personWithAvatar } from '#console/components/person.ts';
import { settingsPerPage as per_page, settingsList } from '#console/components/settings-list.ts';
import { chips, dataTable } from '#console/components/table.ts';
import { timeAgo } from '#console/components/time.ts';
import { inOrganizationSettings, inOwnSettings, inRepositorySettings } from '#console/frames/settings.ts';
import { type PageContent, type PageRequest, page, read, readOptional } from '#console/page.ts';
import type { ListPosition } from '#endpoint/paging.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import { listOrgInstallations } from '#resources/repositories/apps/endpoints/installations.ts';
import { listOwnInstallations, listRepositoryInstallations } from '#resources/repositories/apps/endpoints/pages.ts';
import { listRepoCollaborators, listRepoTeams } from '#resources/repositories/collaborators/endpoints/collaborators.ts';
import { listRepoInvitations } from '#resources/repositories/collaborators/endpoints/invitations.ts';
import { listRepoDeployKeys } from '#resources/repositories/deploy-keys/endpoints.ts';
import { listGrants, listRequests } from '#resources/repositories/token-approvals/endpoints.ts';

const perTeams = 100;

const roleWords = { pull: 'read', triage: 'triage', push: 'write', maintain: 'maintain', admin: 'admin' } as const;

export const repositoryAccess = page({
  path: '/{owner}/{repo}/settings/access',
  frame: inRepositorySettings('settings/access'),
  reads: ({ query }) => ({
    people: read(listRepoCollaborators, { query: { per_page, page: query.page } }),
    teams: readOptional(listRepoTeams, { query: { per_page: perTeams } }),
    invitations: readOptional(listRepoInvitations, { query: { per_page: perTeams } }),
  }),
  render({ repository, people, teams = [], invitations = [] }, request, positions) {
    const [owner = ''] = repository.full_name.split('/');
    return {
      title: `People and teams · ${repository.full_name}`,
      body: html`<h1>People and teams</h1><p class="soft">Who has a role here, however they got it.</p>${
        people.length === 0
          ? emptyState({ icon: 'people', title: 'People with a role will be listed here.' })
          : dataTable({
              caption: 'People',
              columns: ['Person', 'Role'],
              rows: people.map((person) => [personWithAvatar(person), person.role_name]),
            })
      }${pager(request, { position: positions.people, perPage: per_page })}${
        teams.length > 0
          ? html`<h2>Teams</h2>${dataTable({
              caption: 'Teams',
              columns: ['Team', 'Role'],
              rows: teams.map(({ name, slug, permission }) => [
                html`<a href="${pagePath('orgs', owner, 'teams', slug)}">${name}</a>`,
                roleWords[permission],
              ]),
            })}`
          : ''
      }${
        invitations.length > 0
          ? html`<h2>Invitations</h2>${dataTable({
              caption: 'Invitations',
              columns: ['Person', 'Role', 'Sent'],
              rows: invitations.map(({ invitee, permissions, created_at, expired }) => [
                personWithAvatar(invitee),
                permissions,
                expired ? 'has expired' : timeAgo(created_at, request.now),
              ]),
            })}`
          : ''
      }`,
    };
  },
});

/** The beginning and the end of a public key, which is long. */
const shortKey = (key: string): TrustedHtml => {
  const [type = '', text = ''] = key.split(' ');
  return html`<code title="${key}">${type} …${text.slice(-16)}</code>`;
};

export const deployKeys = page({
  path: '/{owner}/{repo}/settings/keys',
  frame: inRepositorySettings('settings/keys'),
  reads: ({ query }) => ({ keys: read(listRepoDeployKeys, { query: { per_page, page: query.page } }) }),
  render: ({ keys }, request, positions) =>
    settingsList({
      title: 'Deploy keys',
      intro: 'SSH keys with which machines read this repository, or write to it.',
      columns: ['Title', 'Key', 'May', 'Added by', 'Last used'],
      rows: keys.map((key) => [
        key.title,
        shortKey(key.key),
        key.enabled ? (key.read_only ? 'read' : 'read and write') : 'nothing: the organization allows no deploy keys',
        key.added_by,
        timeAgo(key.last_used, request.now) || 'never',
      ]),
      empty: {
        icon: 'key',
        title: 'Deploy keys will be listed here.',
        hint: html`Add one with <code>gh repo deploy-key add</code>.`,
      },
      request,
      position: positions.keys,
    }),
});

type ShownInstallation = {
  readonly id: number;
  readonly app_slug: string;
  readonly repository_selection: 'all' | 'selected';
  readonly permissions: Readonly<Record<string, string | undefined>>;
  readonly events: readonly string[];
  readonly created_at: string;
  readonly suspended_at: string | null;
};

const installationsContent = (
  installations: readonly ShownInstallation[],
  request: PageRequest,
  position: ListPosition | undefined,
  intro: string,
): PageContent =>
  settingsList({
    title: 'Installed apps',
    intro,
    columns: ['App', 'May', 'Repositories', 'Installed'],
    rows: installations.map((installation) => [
      html`<a id="installation-${installation.id}"
href="${pagePath('apps', installation.app_slug)}">${installation.app_slug}</a>${
        installation.suspended_at === null ? '' : html`<span class="badge">suspended</span>`
      }`,
      chips(permissionTexts(installation.permissions)),
      installation.repository_selection === 'all' ? 'all' : 'chosen ones',
      timeAgo(installation.created_at, request.now),
    ]),
    empty: { icon: 'package', title: 'Apps will be listed here once they are installed, with what they may do.' },
    request,
    position,
  });

export const repositoryInstallations = page({
  path: '/{owner}/{repo}/settings/installations',
  frame: inRepositorySettings('settings/installations'),
  reads: ({ query }) => ({ found: read(listRepositoryInstallations, { query: { per_page, page: query.page } }) }),
  render: ({ found }, request, positions) =>
    installationsContent(found.installations, request, positions.found, 'Apps that may act in this repository.'),
});

const organizationFrame = inOrganizationSettings('installations');

export const organizationInstallations = page({
  path: '/organizations/{org}/settings/installations',
  frame: organizationFrame,
  reads: ({ query }) => ({ found: read(listOrgInstallations, { query: { per_page, page: query.page } }) }),
  render: ({ found }, request, positions) =>
    installationsContent(found.installations, request, positions.found, 'Apps that may act in this organization.'),
});

export const organizationInstallation = page({
  path: '/organizations/{org}/settings/installations/{installation_id}',
  frame: organizationFrame,
  reads: () => ({ found: read(listOrgInstallations, { query: { per_page } }) }),
  render: ({ account }, { words }) => ({
    redirect: `${pagePath('organizations', account.login, 'settings', 'installations')}#installation-${words.installation_id}`,
  }),
});

const ownFrame = inOwnSettings('installations');

export const ownInstallations = page({
  path: '/settings/installations',
  frame: ownFrame,
  isForPeople: true,
  reads: ({ query }) => ({ found: read(listOwnInstallations, { query: { per_page, page: query.page } }) }),
  render: ({ found }, request, positions) =>
    installationsContent(found.installations, request, positions.found, 'Apps that may act in your repositories.'),
});

export const ownInstallation = page({
  path: '/settings/installations/{installation_id}',
  frame: ownFrame,
  isForPeople: true,
  render: (_found, { words }) => ({ redirect: `/settings/installations#installation-${words.installation_id}` }),
});

type ShownGrant = {
  readonly owner: Parameters<typeof personWithAvatar>[0];
  readonly token_name: string;
  readonly repository_selection: 'none' | 'all' | 'subset';
  readonly permissions: Readonly<Record<string, Readonly<Record<string, string | undefined>> | undefined>>;
  readonly token_expires_at: string | null;
  readonly token_expired: boolean;
  readonly token_last_used_at: string | null;
};

const restOf = (shown: number, total: number): TrustedHtml | string =>
  total > shown ? html`<p class="soft small">The first ${shown} of ${total} are shown.</p>` : '';

const selectionWords = { none: 'none', all: 'all', subset: 'chosen ones' } as const;

const grantCells = (grant: ShownGrant, { now }: PageRequest) => [
  html`<span dir="auto">${grant.token_name}</span>`,
  personWithAvatar(grant.owner),
  chips(Object.values(grant.permissions).flatMap((set) => permissionTexts(set ?? {}))),
  selectionWords[grant.repository_selection],
  timeAgo(grant.token_last_used_at, now),
  grant.token_expired ? 'has expired' : timeAgo(grant.token_expires_at, now),
];

const grantColumns = ['Token', 'Of', 'May', 'Repositories', 'Last used', 'Expires'];

export const tokenApprovals = page({
  path: '/organizations/{org}/settings/personal-access-tokens',
  frame: inOrganizationSettings('personal-access-tokens'),
  reads: ({ query }) => ({
    requests: read(listRequests, { query: { per_page } }),
    grants: read(listGrants, { query: { per_page, page: query.page } }),
  }),
  render({ requests, grants }, request, positions) {
    const total = positions.requests?.total ?? requests.length;
    return settingsList({
      title: 'Fine-grained tokens',
      intro: 'Tokens of people that reach into this organization, with what they may do.',
      columns: [...grantColumns, 'Approved'],
      rows: grants.map((grant) => [...grantCells(grant, request), timeAgo(grant.access_granted_at, request.now)]),
      empty: { icon: 'key', title: 'Approved tokens will be listed here.' },
      request,
      position: positions.grants,
      more:
        requests.length === 0
          ? html`<h2>Requests</h2><p class="soft">No token waits for approval.</p>`
          : html`<h2>Requests</h2>${dataTable({
              caption: 'Requests',
              columns: [...grantColumns, 'Reason', 'Asked'],
              rows: requests.map((one) => [
                ...grantCells(one, request),
                html`<span dir="auto">${one.reason}</span>`,
                timeAgo(one.created_at, request.now),
              ]),
            })}${restOf(requests.length, total)}`,
    });
  },
});
