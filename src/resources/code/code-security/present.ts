import { type Links, path } from '#endpoint/links.ts';
import { timestamp } from '#lib/time.ts';
import { type CodeSecurityConfiguration, products } from './schemas.ts';
import type { ConfigurationRow } from './store.ts';

/** A configuration in an organization's view. */
export function presentConfiguration(links: Links, org: { login: string }, row: ConfigurationRow): CodeSecurityConfiguration {
  const { id, settings, organization_id } = row;
  const settingsPage = `${path(`${links.html}/organizations`, org.login)}/settings/security_products/configurations`;
  const isGlobal = organization_id === null;
  return {
    id,
    name: row.name,
    target_type: isGlobal ? 'global' : 'organization',
    description: row.description,
    advanced_security: settings.advanced_security,
    ...presentProducts(settings),
    dependency_graph_autosubmit_action_options: {
      labeled_runners: settings.dependency_graph_autosubmit_action_options?.labeled_runners ?? false,
    },
    code_scanning_options: { allow_advanced: settings.code_scanning_options?.allow_advanced ?? false },
    code_scanning_default_setup_options: {
      runner_type: settings.code_scanning_default_setup_options?.runner_type ?? 'not_set',
      runner_label: settings.code_scanning_default_setup_options?.runner_label ?? null,
    },
    enforcement: row.enforcement,
    url: path(`${links.api}/orgs`, org.login, 'code-security', 'configurations', id),
    html_url: isGlobal ? `${settingsPage}/view` : path(`${settingsPage}/edit`, id),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  };
}

/** The settings of a configuration for each product. A product without a setting is `not_set`. */
const presentProducts = (settings: ConfigurationRow['settings']) =>
  Object.fromEntries(products.map((product) => [product, settings[product] ?? 'not_set'])) as Pick<
    CodeSecurityConfiguration,
    (typeof products)[number]
  >; // one for each product
