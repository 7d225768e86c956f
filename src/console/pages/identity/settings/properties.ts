// Custom properties, issue fields, autolinks and environments.

import { settingsPerPage as per_page, settingsList } from '#console/components/settings-list.ts';
import { chips } from '#console/components/table.ts';
import { inOrganizationSettings, inRepositorySettings } from '#console/frames/settings.ts';
import { page, read } from '#console/page.ts';
import { html, type Insertable, joined } from '#html/template.ts';
import { listRepoEnvironments } from '#resources/actions/environments/endpoints.ts';
import { listIssueFields } from '#resources/collaboration/issue-fields/endpoints.ts';
import { listRepoAutolinks } from '#resources/repositories/autolinks/endpoints.ts';
import { getRepositoryValues, listCustomProperties } from '#resources/repositories/custom-properties/endpoints.ts';

const typeWords = {
  string: 'text',
  single_select: 'one of several',
  multi_select: 'some of several',
  true_false: 'yes or no',
  url: 'address',
  text: 'text',
  date: 'date',
  number: 'number',
} as const;

const valueText = (value: string | readonly string[] | null): string =>
  typeof value === 'string' ? value : (value ?? []).join(', ');

const named = (name: string, description: string | null): Insertable =>
  html`<span dir="auto">${name}</span>${description ? html`<p class="soft small" dir="auto">${description}</p>` : ''}`;

export const organizationProperties = page({
  path: '/organizations/{org}/settings/custom-properties',
  frame: inOrganizationSettings('custom-properties'),
  reads: () => ({ properties: read(listCustomProperties) }),
  render: ({ properties }, request) =>
    settingsList({
      title: 'Custom properties',
      intro: 'What each repository of this organization says about itself. Rulesets can go by them.',
      columns: ['Name', 'Type', 'Required', 'Default', 'Values', 'Set by'],
      rows: properties.map((property) => [
        named(property.property_name, property.description),
        typeWords[property.value_type],
        property.required ? 'yes' : 'no',
        valueText(property.default_value),
        chips(property.allowed_values ?? []),
        property.values_editable_by === 'org_actors' ? 'the organization' : 'repositories too',
      ]),
      empty: {
        icon: 'label',
        title: 'Custom properties will be listed here.',
        hint: html`Define some with <code>PATCH …/properties/schema</code>.`,
      },
      request,
    }),
});

export const repositoryProperties = page({
  path: '/{owner}/{repo}/settings/custom-properties',
  frame: inRepositorySettings('settings/custom-properties'),
  reads: () => ({ values: read(getRepositoryValues) }),
  render: ({ values }, request) =>
    settingsList({
      title: 'Custom properties',
      intro: 'What this repository says about itself. Its organization defines the names.',
      columns: ['Name', 'Value'],
      rows: values.map(({ property_name, value }) => [property_name, html`<span dir="auto">${valueText(value)}</span>`]),
      empty: { icon: 'label', title: 'Values will be listed here once the organization defines properties.' },
      request,
    }),
});

export const issueFields = page({
  path: '/organizations/{org}/settings/issue-fields',
  frame: inOrganizationSettings('issue-fields'),
  reads: () => ({ fields: read(listIssueFields) }),
  render: ({ fields }, request) =>
    settingsList({
      title: 'Issue fields',
      intro: 'Fields that issues of all repositories have besides labels and milestones.',
      columns: ['Name', 'Type', 'Options', 'Seen by'],
      rows: fields.map((field) => [
        named(field.name, field.description),
        typeWords[field.data_type],
        chips((field.options ?? []).map(({ name }) => name)),
        field.visibility === 'all' ? 'everybody' : 'members',
      ]),
      empty: {
        icon: 'list',
        title: 'Issue fields will be listed here.',
        hint: html`Create one with <code>POST …/issue-fields</code>.`,
      },
      request,
    }),
});

export const autolinks = page({
  path: '/{owner}/{repo}/settings/key_links',
  frame: inRepositorySettings('settings/key_links'),
  reads: () => ({ links: read(listRepoAutolinks) }),
  render: ({ links }, request) =>
    settingsList({
      title: 'Autolinks',
      intro: 'Texts that become links to other systems, such as TICKET-12.',
      columns: ['Begins with', 'Leads to', 'Letters too'],
      rows: links.map(({ key_prefix, url_template, is_alphanumeric }) => [
        html`<code>${key_prefix}</code>`,
        url_template,
        is_alphanumeric ? 'yes' : 'digits alone',
      ]),
      empty: { icon: 'link', title: 'Autolinks will be listed here.', hint: html`Add one with <code>POST …/autolinks</code>.` },
      request,
    }),
});

export const environmentsPage = page({
  path: '/{owner}/{repo}/settings/environments',
  frame: inRepositorySettings('settings/environments'),
  reads: ({ query }) => ({ found: read(listRepoEnvironments, { query: { per_page, page: query.page } }) }),
  render: ({ found }, request, positions) =>
    settingsList({
      title: 'Environments',
      intro: 'Where workflows deploy to, and what a deployment waits for.',
      columns: ['Name', 'Waits for', 'Branches', 'Administrators'],
      rows: found.environments.map((environment) => [
        html`<code>${environment.name}</code>`,
        joined(environment.protection_rules.flatMap(ruleText), ', '),
        environment.deployment_branch_policy === null
          ? 'all'
          : environment.deployment_branch_policy.protected_branches
            ? 'protected ones'
            : 'named ones',
        environment.can_admins_bypass ? 'may pass it by' : 'wait too',
      ]),
      empty: {
        icon: 'deployment',
        title: 'Environments will be listed here.',
        hint: html`A workflow creates one by <code>environment: production</code> in a job.`,
      },
      request,
      position: positions.found,
    }),
});

type ShownRule = {
  readonly type: string;
  readonly wait_timer?: number;
  readonly reviewers?: readonly { readonly reviewer: { readonly login?: string; readonly slug?: string } }[];
};

/** What a deployment waits for, in words. */
function ruleText({ type, wait_timer, reviewers = [] }: ShownRule): string[] {
  if (type === 'wait_timer') return [`${wait_timer} minutes`];
  if (type !== 'required_reviewers') return [];
  return [`approval by ${reviewers.map(({ reviewer }) => reviewer.login ?? reviewer.slug).join(' or ')}`];
}
