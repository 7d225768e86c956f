// Runners, their groups, hosted runners with their images, and private registries.

import { settingsPerPage as per_page, settingsList } from '#console/components/settings-list.ts';
import { chips, dataTable, onOff } from '#console/components/table.ts';
import { timeAgo } from '#console/components/time.ts';
import { inOrganizationSettings, inRepositorySettings } from '#console/frames/settings.ts';
import { type PageContent, type PageRequest, page, read, readOptional } from '#console/page.ts';
import type { ListPosition } from '#endpoint/paging.ts';
import { icon } from '#html/icons.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import { listCustomImages } from '#resources/actions/hosted-runners/endpoints/images.ts';
import { listHostedRunners } from '#resources/actions/hosted-runners/endpoints/runners.ts';
import { listPrivateRegistries } from '#resources/actions/private-registries/endpoints.ts';
import { listRunnerGroups } from '#resources/actions/runners/endpoints/groups.ts';
import { listOrgRunners, listRepoRunners } from '#resources/actions/runners/endpoints/runners.ts';

type ShownRunner = {
  readonly name: string;
  readonly os: string;
  readonly status: 'online' | 'offline';
  readonly busy: boolean;
  readonly version: string;
  readonly labels: readonly { readonly name: string }[];
};

function statusOf({ status, busy }: ShownRunner): TrustedHtml {
  if (status === 'offline') return html`<span class="state">offline</span>`;
  return busy
    ? html`<span class="state running">${icon('running')}works</span>`
    : html`<span class="state success">${icon('check')}waits</span>`;
}

const runnersContent = (runners: readonly ShownRunner[], request: PageRequest, position: ListPosition | undefined): PageContent =>
  settingsList({
    title: 'Runners',
    intro: 'Machines of yours that run jobs of workflows.',
    columns: ['Name', 'State', 'Labels', 'System', 'Version'],
    rows: runners.map((runner) => [
      runner.name,
      statusOf(runner),
      chips(runner.labels.map(({ name }) => name)),
      runner.os,
      runner.version,
    ]),
    empty: {
      icon: 'server',
      title: 'Runners will be listed here, with what they do now.',
      hint: html`Register one with a token of <code>POST …/actions/runners/registration-token</code>.`,
    },
    request,
    position,
  });

export const repositoryRunners = page({
  path: '/{owner}/{repo}/settings/actions/runners',
  frame: inRepositorySettings('settings/actions/runners'),
  reads: ({ query }) => ({ found: read(listRepoRunners, { query: { per_page, page: query.page } }) }),
  render: ({ found }, request, positions) => runnersContent(found.runners, request, positions.found),
});

export const organizationRunners = page({
  path: '/organizations/{org}/settings/actions/runners',
  frame: inOrganizationSettings('actions/runners'),
  reads: ({ query }) => ({ found: read(listOrgRunners, { query: { per_page, page: query.page } }) }),
  render: ({ found }, request, positions) => runnersContent(found.runners, request, positions.found),
});

const groupVisibilities = { all: 'all repositories', private: 'private repositories', selected: 'chosen repositories' } as const;

export const runnerGroups = page({
  path: '/organizations/{org}/settings/actions/runner-groups',
  frame: inOrganizationSettings('actions/runner-groups'),
  reads: ({ query }) => ({ found: read(listRunnerGroups, { query: { per_page, page: query.page } }) }),
  render: ({ found }, request, positions) =>
    settingsList({
      title: 'Runner groups',
      intro: 'Each runner is in one group, which decides for whom it works.',
      columns: ['Name', 'For', 'Public repositories', 'Workflows'],
      rows: found.runner_groups.map((group) => [
        html`${group.name}${group.default ? html`<span class="badge">default</span>` : ''}`,
        groupVisibilities[group.visibility],
        onOff(group.allows_public_repositories),
        group.restricted_to_workflows ? chips(group.selected_workflows) : 'all',
      ]),
      empty: { icon: 'server', title: 'Groups of runners will be listed here.' },
      request,
      position: positions.found,
    }),
});

export const hostedRunners = page({
  path: '/organizations/{org}/settings/actions/hosted-runners',
  frame: inOrganizationSettings('actions/hosted-runners'),
  reads: ({ query }) => ({
    found: read(listHostedRunners, { query: { per_page, page: query.page } }),
    images: readOptional(listCustomImages, { query: { per_page: 100 } }),
  }),
  render: ({ found, images }, request, positions) =>
    settingsList({
      title: 'Hosted runners',
      intro: 'Machines that this server starts for jobs, and stops after them.',
      columns: ['Name', 'State', 'Image', 'Machine', 'At most', 'Last job'],
      rows: found.runners.map((runner) => [
        runner.name,
        html`<span class="state ${stateClass(runner.status)}">${runner.status}</span>`,
        `${runner.image.display_name} ${runner.image.version}`,
        `${runner.machine_size_details.cpu_cores} cores, ${runner.machine_size_details.memory_gb} GB`,
        runner.maximum_runners,
        timeAgo(runner.last_active_on, request.now),
      ]),
      empty: {
        icon: 'server',
        title: 'Hosted runners will be listed here.',
        hint: html`Create one with <code>POST …/actions/hosted-runners</code>.`,
      },
      request,
      position: positions.found,
      more:
        images && images.image_versions.length > 0
          ? html`<h2>Custom images</h2>${dataTable({
              caption: 'Custom images',
              columns: ['Name', 'Platform', 'Latest', 'Versions', 'Size'],
              rows: images.image_versions.map((image) => [
                image.name,
                image.platform,
                image.latest_version,
                image.versions_count,
                `${image.total_versions_size} GB`,
              ]),
            })}`
          : '',
    }),
});

/** The colour of a state. */
const stateClass = (status: string): string => {
  if (status === 'Ready') return 'success';
  return status === 'Stuck' ? 'failed' : 'running';
};

const registryVisibilities = groupVisibilities;

export const privateRegistries = page({
  path: '/organizations/{org}/settings/private-registries',
  frame: inOrganizationSettings('private-registries'),
  reads: ({ query }) => ({ found: read(listPrivateRegistries, { query: { per_page, page: query.page } }) }),
  render: ({ found }, request, positions) =>
    settingsList({
      title: 'Private registries',
      intro: 'Where the dependency bot and workflows get packages. Secrets are encrypted and never shown.',
      columns: ['Name', 'Type', 'Address', 'Signs in by', 'For', 'Changed'],
      rows: found.configurations.map((registry) => [
        html`<code>${registry.name}</code>`,
        registry.registry_type.replaceAll('_', ' '),
        registry.url,
        registry.auth_type.replaceAll('_', ' '),
        registryVisibilities[registry.visibility],
        timeAgo(registry.updated_at, request.now),
      ]),
      empty: {
        icon: 'package',
        title: 'Private registries will be listed here by name.',
        hint: html`Add one with <code>POST …/private-registries</code>.`,
      },
      request,
      position: positions.found,
    }),
});
