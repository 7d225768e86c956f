// Code security configurations of organizations.
import { Type } from 'typebox';
import { mapRows } from '#database/list.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pagesAndCursors } from '#endpoint/paging.ts';
import { gather, keyed } from '#lib/collections.ts';
import { asId } from '#lib/id.ts';
import { invalid } from '#lib/refusal.ts';
import { Nothing } from '#lib/shape.ts';
import { loadRepositories, presentRepositories, simpleRepositoryOf } from '#resources/repositories/repositories/index.ts';
import { securityConfiguration } from './path-resources.ts';
import { presentConfiguration } from './present.ts';
import {
  attachConfiguration,
  changeConfiguration,
  changeDefault,
  createConfiguration,
  deleteConfiguration,
  detachConfigurations,
  enableProductEverywhere,
} from './rules.ts';
import {
  Attachment,
  ChangedDefault,
  CodeSecurityConfiguration,
  ConfigurationChange,
  ConfigurationOfRepository,
  ConfigurationQuery,
  ConfiguredRepository,
  DefaultChange,
  DefaultConfiguration,
  Detachment,
  Enablement,
  NewConfiguration,
  StatusQuery,
  statuses,
} from './schemas.ts';
import { findOfRepository, listAttached, listConfigurations, listDefaults, type Status } from './store.ts';

const ofOrg = { role: 'owner', orRole: 'security_manager' } as const;
const reads = { ...ofOrg, permission: 'organization_administration:read', scopes: ['read:org'] } as const;
const writes = { ...ofOrg, permission: 'organization_administration:write', scopes: ['write:org'] } as const;

export const listSecurityConfigurations = endpoint({
  id: 'code-security/get-configurations-for-org',
  method: 'GET',
  path: '/orgs/{org}/code-security/configurations',
  summary: 'Get code security configurations for an organization',
  access: reads,
  query: ConfigurationQuery,
  paging: pagesAndCursors(),
  replies: { 200: Type.Array(CodeSecurityConfiguration) },
  async handle({ db, at: { org }, query, page, links }) {
    const isGlobal = query.target_type === 'global';
    return mapRows(await listConfigurations(db, { organization: org.id, isGlobal }, page), (rows) =>
      rows.map((row) => presentConfiguration(links, org, row)),
    );
  },
});

export const createSecurityConfiguration = endpoint({
  id: 'code-security/create-configuration',
  method: 'POST',
  path: '/orgs/{org}/code-security/configurations',
  summary: 'Create a code security configuration',
  access: writes,
  body: NewConfiguration,
  example: {
    name: 'Engines',
    description: 'What all engines need',
    advanced_security: 'disabled',
    secret_scanning: 'enabled',
    secret_scanning_push_protection: 'enabled',
    dependency_bot_alerts: 'not_set',
    enforcement: 'enforced',
  },
  replies: { 201: CodeSecurityConfiguration },
  async handle({ change, at, body, action, links }) {
    return presentConfiguration(links, at.org, await change((scope) => createConfiguration(scope, action, body)));
  },
});

export const listDefaultConfigurations = endpoint({
  id: 'code-security/get-default-configurations',
  method: 'GET',
  path: '/orgs/{org}/code-security/configurations/defaults',
  summary: 'Get default code security configurations',
  access: reads,
  replies: { 200: Type.Array(DefaultConfiguration) },
  async handle({ db, at: { org }, links }) {
    const rows = await listDefaults(db, org.id);
    const [one, other] = rows;
    if (one && other && one.id === other.id)
      return [{ default_for_new_repos: 'all' as const, configuration: presentConfiguration(links, org, one) }];
    return rows.map((row) => ({
      default_for_new_repos: row.visibility,
      configuration: presentConfiguration(links, org, row),
    }));
  },
});

export const detachSecurityConfigurations = endpoint({
  id: 'code-security/detach-configuration',
  method: 'DELETE',
  path: '/orgs/{org}/code-security/configurations/detach',
  summary: 'Detach configurations from repositories',
  access: writes,
  body: Detachment,
  example: { selected_repository_ids: [asId<'repositories'>(32), asId<'repositories'>(91)] },
  replies: { 204: Nothing },
  async handle({ change, body, action }) {
    await change((scope) => detachConfigurations(scope, action, body.selected_repository_ids));
  },
});

export const getSecurityConfiguration = endpoint({
  id: 'code-security/get-configuration',
  method: 'GET',
  path: '/orgs/{org}/code-security/configurations/{configuration_id}',
  resources: [securityConfiguration],
  summary: 'Get a code security configuration',
  access: reads,
  replies: { 200: CodeSecurityConfiguration },
  async handle({ at, links }) {
    return presentConfiguration(links, at.org, at.securityConfiguration);
  },
});

export const updateSecurityConfiguration = endpoint({
  id: 'code-security/update-configuration',
  method: 'PATCH',
  path: '/orgs/{org}/code-security/configurations/{configuration_id}',
  resources: [securityConfiguration],
  summary: 'Update a code security configuration',
  access: writes,
  body: ConfigurationChange,
  example: { name: 'Engines', secret_scanning_non_provider_patterns: 'enabled' },
  replies: { 200: CodeSecurityConfiguration, 204: Nothing },
  async handle({ change, at, body, action, links, reply }) {
    const row = await change((scope, { securityConfiguration }) =>
      changeConfiguration(scope, action, securityConfiguration, body),
    );
    return row ? reply(200, presentConfiguration(links, at.org, row)) : reply(204);
  },
});

export const deleteSecurityConfiguration = endpoint({
  id: 'code-security/delete-configuration',
  method: 'DELETE',
  path: '/orgs/{org}/code-security/configurations/{configuration_id}',
  resources: [securityConfiguration],
  summary: 'Delete a code security configuration',
  access: writes,
  replies: { 204: Nothing },
  async handle({ change }) {
    await change((scope, { securityConfiguration }) => deleteConfiguration(scope, securityConfiguration));
  },
});

export const attachSecurityConfiguration = endpoint({
  id: 'code-security/attach-configuration',
  method: 'POST',
  path: '/orgs/{org}/code-security/configurations/{configuration_id}/attach',
  resources: [securityConfiguration],
  summary: 'Attach a configuration to repositories',
  access: writes,
  body: Attachment,
  example: { scope: 'selected', selected_repository_ids: [asId<'repositories'>(32)] },
  replies: { 202: Type.Object({}) },
  async handle({ change, body, action }) {
    await change((scope, { securityConfiguration }) => attachConfiguration(scope, action, securityConfiguration, body));
    return {};
  },
});

export const setDefaultConfiguration = endpoint({
  id: 'code-security/set-configuration-as-default',
  method: 'PUT',
  path: '/orgs/{org}/code-security/configurations/{configuration_id}/defaults',
  resources: [securityConfiguration],
  summary: 'Set a code security configuration as a default for an organization',
  access: writes,
  body: DefaultChange,
  example: { default_for_new_repos: 'all' },
  replies: { 200: ChangedDefault },
  async handle({ change, at, body: { default_for_new_repos }, action, links }) {
    await change((scope, { securityConfiguration }) =>
      changeDefault(scope, action, securityConfiguration, default_for_new_repos),
    );
    return { default_for_new_repos, configuration: presentConfiguration(links, at.org, at.securityConfiguration) };
  },
});

export const listConfiguredRepositories = endpoint({
  id: 'code-security/get-repositories-for-configuration',
  method: 'GET',
  path: '/orgs/{org}/code-security/configurations/{configuration_id}/repositories',
  resources: [securityConfiguration],
  summary: 'Get repositories associated with a code security configuration',
  access: reads,
  query: StatusQuery,
  paging: pagesAndCursors(),
  replies: { 200: Type.Array(ConfiguredRepository) },
  async handle({ scope, db, at, query, page, viewer }) {
    const of = { organization: at.org.id, configuration: at.securityConfiguration.id, viewer };
    return mapRows(await listAttached(db, of, statusesOf(query.status), page), async (rows) => {
      const found = await loadRepositories(db, viewer, gather(rows, 'repository_id'));
      const shown = keyed(await presentRepositories(scope, found), ({ id }) => id);
      return rows.flatMap(({ repository_id, status }) => {
        const repository = shown.get(repository_id);
        return repository ? [{ status, repository: simpleRepositoryOf(repository) }] : [];
      });
    });
  },
});

/** The statuses of a list that is separated by commas; undefined for all of them. */
function statusesOf(text: string): Status[] | undefined {
  const words = text.split(',').map((word) => word.trim());
  if (words.includes('all')) return undefined;
  return words.flatMap((word) => {
    // Only an enterprise can remove a configuration so, and this server has none.
    if (word === 'removed_by_enterprise') return [];
    const known = statuses.find((status) => status === word);
    if (!known) throw invalid('CodeSecurityConfiguration', 'status', 'invalid', `status can't be ${word}`);
    return [known];
  });
}

export const getConfigurationOfRepository = endpoint({
  id: 'code-security/get-configuration-for-repository',
  method: 'GET',
  path: '/repos/{owner}/{repo}/code-security-configuration',
  summary: 'Get the code security configuration associated with a repository',
  access: { permission: 'administration:read', scopes: ['repo'], role: 'admin', orRole: 'security_manager' },
  replies: { 200: ConfigurationOfRepository, 204: Nothing },
  async handle({ db, at: { repo }, links, reply }) {
    const row = await findOfRepository(db, repo.id);
    if (!row) return reply(204);
    return reply(200, { status: row.status, configuration: presentConfiguration(links, repo.owner, row) });
  },
});

export const enableSecurityProduct = endpoint({
  id: 'orgs/enable-or-disable-security-product-on-all-org-repos',
  method: 'POST',
  path: '/orgs/{org}/{security_product}/{enablement}',
  summary: 'Enable or disable a security feature for an organization',
  access: { ...writes, scopes: ['admin:org', 'write:org', 'repo'] },
  body: Enablement,
  example: { query_suite: 'default' },
  replies: { 204: Nothing },
  async handle({ change, at, body: { query_suite }, action }) {
    const enabling = { product: at.security_product, isOn: at.enablement === 'enable_all', query_suite };
    await change((scope) => enableProductEverywhere(scope, action, enabling));
  },
});
