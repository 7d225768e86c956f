import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { each, Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { FirstValues, ValuesByName } from '#resources/repositories/custom-properties/index.ts';
import { SimpleLicense } from '#resources/repositories/licenses/index.ts';
import { repositoryLinks, simpleRepositoryLinks } from './links.ts';

export const visibilities = ['public', 'private', 'internal'] as const;

/** The users who may open pull requests: everybody who may read the repository, or only those with a role in it. */
const pullRequestCreators = ['all', 'collaborators_only'] as const;

const RolePermissions = Type.Object(each(['admin', 'maintain', 'push', 'triage', 'pull'], Type.Boolean()));

const nameFields = {
  id: Type.Integer(),
  node_id: Type.String(),
  name: Type.String(),
  full_name: Type.String(),
  owner: User,
  private: Type.Boolean(),
  description: Nullable(Type.String()),
  fork: Type.Boolean(),
};

/** A repository in objects that only identify it. */
export const SimpleRepository = Type.Object({ ...nameFields, ...each(simpleRepositoryLinks, Type.String()) });
export type SimpleRepository = Static<typeof SimpleRepository>;

/** A repository in lists and in other objects. */
export const MinimalRepository = Type.Object({
  ...nameFields,
  ...each(repositoryLinks, Type.String()),
  mirror_url: Nullable(Type.String()),
  homepage: Nullable(Type.String()),
  language: Nullable(Type.String()),
  ...each(
    ['forks_count', 'stargazers_count', 'watchers_count', 'size', 'open_issues_count', 'forks', 'open_issues', 'watchers'],
    Type.Integer(),
  ),
  default_branch: Type.String(),
  topics: Type.Array(Type.String()),
  ...each(
    [
      'is_template',
      'has_issues',
      'has_projects',
      'has_wiki',
      'has_pages',
      'has_downloads',
      'has_discussions',
      'has_pull_requests',
    ],
    Type.Boolean(),
  ),
  pull_request_creation_policy: OneOf(pullRequestCreators),
  archived: Type.Boolean(),
  disabled: Type.Boolean(),
  visibility: OneOf(visibilities),
  pushed_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
  permissions: Type.Optional(RolePermissions),
  allow_forking: Type.Boolean(),
  web_commit_signoff_required: Type.Boolean(),
  license: Nullable(SimpleLicense),
});
export type MinimalRepository = Static<typeof MinimalRepository>;

const squashTitles = ['PR_TITLE', 'COMMIT_OR_PR_TITLE'] as const;
const squashMessages = ['PR_BODY', 'COMMIT_MESSAGES', 'BLANK'] as const;
const mergeTitles = ['PR_TITLE', 'MERGE_MESSAGE'] as const;
const mergeMessages = ['PR_BODY', 'PR_TITLE', 'BLANK'] as const;

const mergeFlags = [
  'allow_squash_merge',
  'allow_merge_commit',
  'allow_rebase_merge',
  'allow_auto_merge',
  'allow_update_branch',
  'delete_branch_on_merge',
  'use_squash_pr_title_as_default',
] as const;

const mergeTexts = {
  squash_merge_commit_title: OneOf(squashTitles),
  squash_merge_commit_message: OneOf(squashMessages),
  merge_commit_title: OneOf(mergeTitles),
  merge_commit_message: OneOf(mergeMessages),
};

const Status = OneOf(['enabled', 'disabled']);
export const secretSwitches = [
  'secret_scanning',
  'secret_scanning_push_protection',
  'secret_scanning_non_provider_patterns',
] as const;

/** The switches of security products, which are shown together. */
export const SecurityAndAnalysis = Type.Object(
  each([...secretSwitches, 'dependency_bot_security_updates'], Type.Object({ status: Status })),
);
export type SecurityAndAnalysis = Static<typeof SecurityAndAnalysis>;

/** Features that Hearth doesn't have. Requests may only switch them off. */
export const missingFeatures = ['has_projects', 'has_wiki', 'has_discussions', 'allow_auto_merge'] as const;

/** Products that Hearth doesn't have. Requests may only switch them off. */
const missingProducts = [
  'advanced_security',
  'code_security',
  'secret_scanning_ai_detection',
  'secret_scanning_delegated_alert_dismissal',
  'secret_scanning_delegated_bypass',
] as const;

const SecurityAndAnalysisChange = Type.Object({
  ...each(secretSwitches, Type.Optional(Type.Object({ status: Type.Optional(Status) }))),
  ...each(missingProducts, Type.Optional(Type.Object({ status: Type.Optional(OneOf(['disabled'])) }))),
  secret_scanning_delegated_bypass_options: Type.Optional(
    Type.Object({ reviewers: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 0 })) }),
  ),
});
export type SecurityAndAnalysisChange = Pick<Static<typeof SecurityAndAnalysisChange>, (typeof secretSwitches)[number]>;

/** Changed switches in payloads. */
export const SecurityChangeInPayload = Type.Object({
  from: Type.Optional(Type.Object({ security_and_analysis: SecurityAndAnalysis })),
});

/**
 * The complete repository. As in the public API, merge settings are shown to users who may push, and security to administrators.
 */
export const FullRepository = Type.Object({
  ...MinimalRepository.properties,
  ...each(mergeFlags, Type.Optional(Type.Boolean())),
  ...Type.Partial(Type.Object(mergeTexts)).properties,
  temp_clone_token: Nullable(Type.String()),
  subscribers_count: Type.Integer(),
  network_count: Type.Integer(),
  organization: Type.Optional(Nullable(User)),
  custom_properties: Type.Optional(ValuesByName),
  parent: Type.Optional(MinimalRepository),
  source: Type.Optional(MinimalRepository),
  template_repository: Type.Optional(Nullable(MinimalRepository)),
  security_and_analysis: Type.Optional(SecurityAndAnalysis),
});
export type FullRepository = Static<typeof FullRepository>;

const name = Type.String({ minLength: 1, maxLength: 100 });

const settings = {
  description: Type.Optional(Nullable(Type.String({ maxLength: 350 }))),
  homepage: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
  private: Type.Optional(Type.Boolean()),
  visibility: Type.Optional(OneOf(visibilities)),
  ...each(
    ['has_issues', 'has_projects', 'has_wiki', 'has_downloads', 'has_discussions', 'is_template'],
    Type.Optional(Type.Boolean()),
  ),
  ...each(mergeFlags, Type.Optional(Type.Boolean())),
  ...Type.Partial(Type.Object(mergeTexts)).properties,
};

export const NewRepository = Type.Object(
  {
    name,
    ...settings,
    auto_init: Type.Optional(Type.Boolean()),
    gitignore_template: Type.Optional(Type.String({ maxLength: 100 })),
    license_template: Type.Optional(Type.String({ maxLength: 100 })),
    team_id: Type.Optional(Type.Integer({ minimum: 1, maximum: maxId })),
  },
  { title: 'Repository' },
);
export type NewRepository = Static<typeof NewRepository>;

export const NewOrganizationRepository = Type.Object(
  { ...NewRepository.properties, custom_properties: Type.Optional(FirstValues) },
  { title: 'Repository' },
);

export const RepositoryChange = Type.Object(
  {
    name: Type.Optional(name),
    ...settings,
    default_branch: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    archived: Type.Optional(Type.Boolean()),
    allow_forking: Type.Optional(Type.Boolean()),
    web_commit_signoff_required: Type.Optional(Type.Boolean()),
    has_pull_requests: Type.Optional(Type.Boolean()),
    pull_request_creation_policy: Type.Optional(OneOf(pullRequestCreators)),
    security_and_analysis: Type.Optional(Nullable(SecurityAndAnalysisChange)),
  },
  { title: 'Repository' },
);
export type RepositoryChange = Static<typeof RepositoryChange>;

const owner = Type.String({ maxLength: 255 });

export const NewFork = Type.Object(
  { organization: Type.Optional(owner), name: Type.Optional(name), default_branch_only: Type.Optional(Type.Boolean()) },
  { title: 'Fork' },
);

export const FromTemplate = Type.Object(
  {
    owner: Type.Optional(owner),
    name,
    description: Type.Optional(Type.String({ maxLength: 350 })),
    include_all_branches: Type.Optional(Type.Boolean()),
    private: Type.Optional(Type.Boolean()),
  },
  { title: 'Repository' },
);

export const Transfer = Type.Object(
  {
    new_owner: owner,
    new_name: Type.Optional(name),
    team_ids: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: maxId }), { maxItems: 100 })),
  },
  { title: 'Repository' },
);

export const Topics = Type.Object(
  { names: Type.Array(Type.String({ maxLength: 255 }), { maxItems: 1000 }) },
  { title: 'Repository' },
);

/** Filters and order of the lists of repositories. */
export const ListOrder = {
  sort: Type.Optional(OneOf(['created', 'updated', 'pushed', 'full_name'])),
  direction: Type.Optional(OneOf(['asc', 'desc'])),
};
