// The settings of a configuration, and the switches of repositories that follow from them.
import { defined } from '#lib/collections.ts';
import { type FieldError, invalidFields } from '#lib/refusal.ts';
import type { SecurityChange } from '#resources/repositories/repositories/index.ts';
import { type Analysers, analysersHint } from '#resources/repositories/repository-security/index.ts';
import type { NewConfiguration, Product } from './schemas.ts';

/** All settings of a configuration, beside its name and enforcement. */
export type Settings = Omit<NewConfiguration, 'name' | 'description' | 'enforcement'>;

/** The repository's switch that turns a product on or off. */
export const switchOfProduct = {
  dependency_graph: 'dependency_graph',
  dependency_bot_alerts: 'vulnerability_alerts',
  dependency_bot_security_updates: 'dependency_bot_security_updates',
  secret_scanning: 'secret_scanning',
  secret_scanning_push_protection: 'secret_scanning_push_protection',
  secret_scanning_non_provider_patterns: 'secret_scanning_non_provider_patterns',
  private_vulnerability_reporting: 'private_vulnerability_reporting',
} as const satisfies Partial<Record<Product, keyof SecurityChange>>;
type Switched = keyof typeof switchOfProduct;

const switched = Object.keys(switchOfProduct) as Switched[]; // the keys of the table above

/** The product that is no switch: its family carries it out. It needs an analyser, which the server's operator names. */
export const scanningSetup = 'code_scanning_default_setup';

export const hasAnalysers = ({ code_scanning }: Analysers): boolean => code_scanning.size > 0;

/** Products that this server doesn't have at all: nobody can enable them. */
const missingProducts = [
  'dependency_graph_autosubmit_action',
  'dependency_bot_delegated_alert_dismissal',
  'code_scanning_delegated_alert_dismissal',
  'secret_scanning_delegated_bypass',
  'secret_scanning_validity_checks',
  'secret_scanning_generic_secrets',
  'secret_scanning_delegated_alert_dismissal',
  'secret_scanning_extended_metadata',
] as const satisfies readonly Exclude<Product, Switched | typeof scanningSetup>[];

/** Bundles of products that a licence turns on. The server has none. */
const licensed = ['advanced_security', 'code_security', 'secret_protection'] as const;

/** Options of products that are missing: a request may say that nothing is set. */
const optionsOfMissing: readonly { readonly field: string; readonly isSet: (settings: Settings) => boolean }[] = [
  {
    field: 'dependency_graph_autosubmit_action_options.labeled_runners',
    isSet: ({ dependency_graph_autosubmit_action_options: options }) => options?.labeled_runners === true,
  },
];

/** Products that need another one, which is enabled with them or left as it is. */
const needs: readonly [Switched, Switched][] = [
  ['secret_scanning_push_protection', 'secret_scanning'],
  ['secret_scanning_non_provider_patterns', 'secret_scanning'],
  ['dependency_bot_alerts', 'dependency_graph'],
  ['dependency_bot_security_updates', 'dependency_bot_alerts'],
];

const errorOf = (field: string, message: string): FieldError => ({
  resource: 'CodeSecurityConfiguration',
  field,
  code: 'invalid',
  message,
});

/** The problems of the default setup of code scanning in a configuration. */
function setupErrors(settings: Settings, analysers: Analysers): FieldError[] {
  const { runner_type = 'not_set', runner_label } = settings.code_scanning_default_setup_options ?? {};
  const [type, label] = [`${scanningSetup}_options.runner_type`, `${scanningSetup}_options.runner_label`];
  if (!hasAnalysers(analysers)) {
    const fields = [
      ...(settings[scanningSetup] === 'enabled' ? [scanningSetup] : []),
      ...(runner_type === 'not_set' ? [] : [type]),
      ...(runner_label ? [label] : []),
    ];
    return fields.map((field) => errorOf(field, `${field} can't be set: this server has no analyser of code. ${analysersHint}`));
  }
  if (runner_type !== 'labeled' && runner_label) return [errorOf(label, `${label} is for the runner_type labeled`)];
  return runner_type === 'labeled' && runner_label?.trim() === '' ? [errorOf(label, `${label} is empty`)] : [];
}

/** Refuses what no repository could have. @throws Refusal 422 with the fields */
export function checkSettings(settings: Settings, analysers: Analysers): void {
  const missing = missingProducts.filter((product) => settings[product] === 'enabled');
  const alone = needs.filter(([product, needed]) => settings[product] === 'enabled' && settings[needed] === 'disabled');
  const options = optionsOfMissing.filter(({ isSet }) => isSet(settings)).map(({ field }) => field);
  const licences = licensed.filter((product) => !['disabled', 'not_set', undefined].includes(settings[product]));
  const errors = [
    ...licences.map((product) => errorOf(product, `${product} can't be ${settings[product]}: no licence is needed here`)),
    ...options.map((field) => errorOf(field, `${field} is about a product that is no part of this server`)),
    ...missing.map((product) => errorOf(product, `${product} can't be enabled: it is no part of this server`)),
    ...setupErrors(settings, analysers),
    ...alone.map(([product, needed]) => errorOf(product, `${product} can't be enabled without ${needed}`)),
  ];
  if ((settings.secret_scanning_delegated_bypass_options?.reviewers ?? []).length > 0)
    errors.push(errorOf('secret_scanning_delegated_bypass_options.reviewers', 'delegated bypass is no part of this server'));
  if (errors.length > 0) throw invalidFields(errors);
}

/** What the switches of a repository become; those that a configuration doesn't set stay. */
export const switchesOf = (settings: Settings): SecurityChange =>
  Object.fromEntries(
    switched.flatMap((product) => {
      const wanted = settings[product];
      return wanted === undefined || wanted === 'not_set' ? [] : [[switchOfProduct[product], wanted === 'enabled']];
    }),
  );

/**
 * The settings of a new configuration. As in the public API, products that it doesn't name are disabled, if they are part of the
 * server, but for the dependency graph.
 */
export function newSettings(
  { name: _name, description: _description, enforcement: _enforcement, ...wanted }: NewConfiguration,
  analysers: Analysers,
): Settings {
  const products = [...switched, ...(hasAnalysers(analysers) ? [scanningSetup] : [])];
  return { ...Object.fromEntries(products.map((product) => [product, 'disabled'])), dependency_graph: 'enabled', ...wanted };
}

/** Settings after a change of some of them. */
export const changedSettings = (settings: Settings, change: Partial<Settings>): Settings => ({ ...settings, ...defined(change) });
