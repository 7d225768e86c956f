// Secrets and variables of workflows. Values of secrets are never shown.

import { settingsPerPage as per_page, settingsList } from '#console/components/settings-list.ts';
import { dataTable } from '#console/components/table.ts';
import { timeAgo } from '#console/components/time.ts';
import { inOrganizationSettings, inRepositorySettings } from '#console/frames/settings.ts';
import { type PageRequest, page, read, readOptional } from '#console/page.ts';
import { html, type Insertable } from '#html/template.ts';
import { listOrgSecrets, listRepoOrganizationSecrets, listRepoSecrets } from '#resources/actions/actions-secrets/endpoints.ts';
import {
  listOrgVariables,
  listRepoOrganizationVariables,
  listRepoVariables,
} from '#resources/actions/actions-variables/endpoints.ts';

type Named = { readonly name: string; readonly updated_at: string; readonly value?: string };
type Selected = Named & { readonly visibility: 'all' | 'private' | 'selected' };

const visibilityWords = { all: 'all repositories', private: 'private repositories', selected: 'chosen repositories' } as const;

const ofSecrets = {
  title: 'Secrets',
  intro: 'Workflows read them by name. Their values are encrypted and never shown.',
  empty: {
    icon: 'key',
    title: 'Secrets will be listed here by name.',
    hint: html`Set one with <code>gh secret set NAME</code>.`,
  },
} as const;

const ofVariables = {
  title: 'Variables',
  intro: 'Workflows read them by name. They are not secret.',
  empty: { icon: 'list', title: 'Variables will be listed here.', hint: html`Set one with <code>gh variable set NAME</code>.` },
} as const;

const nameAndValue = ({ name, value }: Named): Insertable[] => [
  html`<code>${name}</code>`,
  ...(value === undefined ? [] : [html`<span class="value" dir="auto">${value}</span>`]),
];

/** The names that an organization lends to a repository. */
const lent = (rows: readonly Named[] | undefined, { title }: { title: string }, { now }: PageRequest): Insertable =>
  rows === undefined || rows.length === 0
    ? ''
    : html`<h2>From the organization</h2>${dataTable({
        caption: `${title} of the organization`,
        columns: ['Name', ...(rows[0]?.value === undefined ? [] : ['Value']), 'Changed'],
        rows: rows.map((row) => [...nameAndValue(row), timeAgo(row.updated_at, now)]),
      })}`;

const repositoryRows = (rows: readonly Named[], { now }: PageRequest) =>
  rows.map((row) => [...nameAndValue(row), timeAgo(row.updated_at, now)]);

const organizationRows = (rows: readonly Selected[], { now }: PageRequest) =>
  rows.map((row) => [...nameAndValue(row), visibilityWords[row.visibility], timeAgo(row.updated_at, now)]);

export const repositorySecrets = page({
  path: '/{owner}/{repo}/settings/secrets/actions',
  frame: inRepositorySettings('settings/secrets/actions'),
  reads: ({ query }) => ({
    found: read(listRepoSecrets, { query: { per_page, page: query.page } }),
    inherited: readOptional(listRepoOrganizationSecrets, { query: { per_page: 100 } }),
  }),
  render: ({ found, inherited }, request, positions) =>
    settingsList({
      ...ofSecrets,
      columns: ['Name', 'Changed'],
      rows: repositoryRows(found.secrets, request),
      request,
      position: positions.found,
      more: lent(inherited?.secrets, ofSecrets, request),
    }),
});

export const repositoryVariables = page({
  path: '/{owner}/{repo}/settings/variables/actions',
  frame: inRepositorySettings('settings/variables/actions'),
  reads: ({ query }) => ({
    found: read(listRepoVariables, { query: { per_page, page: query.page } }),
    inherited: readOptional(listRepoOrganizationVariables, { query: { per_page: 30 } }),
  }),
  render: ({ found, inherited }, request, positions) =>
    settingsList({
      ...ofVariables,
      columns: ['Name', 'Value', 'Changed'],
      rows: repositoryRows(found.variables, request),
      request,
      position: positions.found,
      more: lent(inherited?.variables, ofVariables, request),
    }),
});

export const organizationSecrets = page({
  path: '/organizations/{org}/settings/secrets/actions',
  frame: inOrganizationSettings('secrets/actions'),
  reads: ({ query }) => ({ found: read(listOrgSecrets, { query: { per_page, page: query.page } }) }),
  render: ({ found }, request, positions) =>
    settingsList({
      ...ofSecrets,
      columns: ['Name', 'For', 'Changed'],
      rows: organizationRows(found.secrets, request),
      request,
      position: positions.found,
    }),
});

export const organizationVariables = page({
  path: '/organizations/{org}/settings/variables/actions',
  frame: inOrganizationSettings('variables/actions'),
  reads: ({ query }) => ({ found: read(listOrgVariables, { query: { per_page, page: query.page } }) }),
  render: ({ found }, request, positions) =>
    settingsList({
      ...ofVariables,
      columns: ['Name', 'Value', 'For', 'Changed'],
      rows: organizationRows(found.variables, request),
      request,
      position: positions.found,
    }),
});
