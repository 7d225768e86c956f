import { type Static, Type } from 'typebox';
import { idOf } from '#endpoint/path-words.ts';
import { maxId } from '#lib/id.ts';
import { each, Nullable, OneOf, Patch, Timestamp, withDefault } from '#lib/shape.ts';
import { SimpleRepository } from '#resources/repositories/repositories/index.ts';

const Setting = OneOf(['enabled', 'disabled', 'not_set']);
const enforcements = ['enforced', 'unenforced'] as const;
const advanced = ['enabled', 'disabled', 'code_security', 'secret_protection'] as const;

/** Products that are enabled, disabled, or left to each repository. */
export const products = [
  'dependency_graph',
  'dependency_graph_autosubmit_action',
  'dependency_bot_alerts',
  'dependency_bot_security_updates',
  'dependency_bot_delegated_alert_dismissal',
  'code_scanning_default_setup',
  'code_scanning_delegated_alert_dismissal',
  'secret_scanning',
  'secret_scanning_push_protection',
  'secret_scanning_delegated_bypass',
  'secret_scanning_validity_checks',
  'secret_scanning_non_provider_patterns',
  'secret_scanning_generic_secrets',
  'secret_scanning_delegated_alert_dismissal',
  'secret_scanning_extended_metadata',
  'private_vulnerability_reporting',
] as const;
export type Product = (typeof products)[number];

const AutosubmitOptions = Type.Object({ labeled_runners: Type.Optional(Type.Boolean()) });
const ScanningOptions = Type.Object({ allow_advanced: Type.Optional(Nullable(Type.Boolean())) });
const SetupOptions = Type.Object({
  runner_type: Type.Optional(OneOf(['standard', 'labeled', 'not_set'])),
  runner_label: Type.Optional(Nullable(Type.String({ maxLength: 256 }))),
});
const BypassOptions = Type.Object({
  reviewers: Type.Optional(
    Type.Array(
      Type.Object({
        reviewer_id: Type.Integer({ minimum: 1, maximum: maxId }),
        reviewer_type: OneOf(['TEAM', 'ROLE']),
        mode: Type.Optional(OneOf(['ALWAYS', 'EXEMPT'])),
      }),
      { maxItems: 100 },
    ),
  ),
});

const options = {
  dependency_graph_autosubmit_action_options: Type.Optional(AutosubmitOptions),
  code_scanning_options: Type.Optional(Nullable(ScanningOptions)),
  code_scanning_default_setup_options: Type.Optional(Nullable(SetupOptions)),
  secret_scanning_delegated_bypass_options: Type.Optional(BypassOptions),
};

const wanted = {
  advanced_security: withDefault(OneOf(advanced), 'disabled'),
  code_security: Type.Optional(Setting),
  secret_protection: Type.Optional(Setting),
  ...each(products, Type.Optional(Setting)),
  ...options,
  enforcement: withDefault(OneOf(enforcements), 'enforced'),
};

export const NewConfiguration = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    description: withDefault(Type.String({ maxLength: 255 }), ''),
    ...wanted,
  },
  { title: 'CodeSecurityConfiguration', additionalProperties: false },
);
export type NewConfiguration = Static<typeof NewConfiguration>;

export const ConfigurationChange = Patch(NewConfiguration, {
  title: 'CodeSecurityConfiguration',
  additionalProperties: false,
  minProperties: 1,
});
export type ConfigurationChange = Static<typeof ConfigurationChange>;

export const CodeSecurityConfiguration = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  target_type: OneOf(['global', 'organization']),
  description: Type.String(),
  advanced_security: OneOf(advanced),
  ...each(products, Setting),
  dependency_graph_autosubmit_action_options: Type.Object({ labeled_runners: Type.Boolean() }),
  code_scanning_options: Type.Object({ allow_advanced: Nullable(Type.Boolean()) }),
  code_scanning_default_setup_options: Type.Object({
    runner_type: OneOf(['standard', 'labeled', 'not_set']),
    runner_label: Nullable(Type.String()),
  }),
  enforcement: OneOf(enforcements),
  url: Type.String(),
  html_url: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type CodeSecurityConfiguration = Static<typeof CodeSecurityConfiguration>;

export const ConfigurationQuery = Type.Object({ target_type: withDefault(OneOf(['global', 'all']), 'all') });

const shownDefaults = ['public', 'private_and_internal', 'all'] as const;

export const DefaultConfiguration = Type.Object({
  default_for_new_repos: OneOf(shownDefaults),
  configuration: CodeSecurityConfiguration,
});

export const DefaultChange = Type.Object(
  { default_for_new_repos: OneOf(['all', 'none', 'private_and_internal', 'public']) },
  { title: 'CodeSecurityConfiguration' },
);

export const ChangedDefault = Type.Object({
  default_for_new_repos: OneOf(['all', 'none', 'private_and_internal', 'public']),
  configuration: CodeSecurityConfiguration,
});

const RepositoryIds = Type.Array(idOf('repositories'), { minItems: 1, maxItems: 250 });

export const Attachment = Type.Object(
  {
    scope: OneOf(['all', 'all_without_configurations', 'public', 'private_or_internal', 'selected']),
    selected_repository_ids: Type.Optional(RepositoryIds),
  },
  { title: 'CodeSecurityConfiguration', additionalProperties: false },
);
export type Attachment = Static<typeof Attachment>;

export const Detachment = Type.Object(
  { selected_repository_ids: RepositoryIds },
  { title: 'CodeSecurityConfiguration', additionalProperties: false },
);

export const statuses = ['attached', 'attaching', 'detached', 'removed', 'enforced', 'failed', 'updating'] as const;

export const StatusQuery = Type.Object({ status: withDefault(Type.String({ maxLength: 255 }), 'all') });

export const ConfiguredRepository = Type.Object({ status: OneOf(statuses), repository: SimpleRepository });

export const ConfigurationOfRepository = Type.Object({ status: OneOf(statuses), configuration: CodeSecurityConfiguration });

export const Enablement = Type.Object(
  { query_suite: Type.Optional(OneOf(['default', 'extended'])) },
  { title: 'SecurityProduct' },
);
