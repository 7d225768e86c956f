// The rules of rulesets: one entry for each type, with the shape of its parameters. What a rule refuses is told by its evaluator,
// in the family that knows the facts (see the family ref-rules).
import { type Static, type TSchema, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { Nullable, OneOf } from '#lib/shape.ts';
import { rulesetLimits } from './limits.ts';

const Pattern = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 255 })),
  negate: Type.Optional(Type.Boolean()),
  operator: OneOf(['starts_with', 'ends_with', 'contains', 'regex']),
  pattern: Type.String({ minLength: 1, maxLength: 1000 }),
});
export type Pattern = Static<typeof Pattern>;

const id = Type.Integer({ minimum: 1, maximum: maxId });
const paths = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 200 });

const PullRequestParameters = Type.Object({
  allowed_merge_methods: Type.Optional(Type.Array(OneOf(['merge', 'squash', 'rebase']), { minItems: 1, maxItems: 3 })),
  dismiss_stale_reviews_on_push: Type.Boolean(),
  require_code_owner_review: Type.Boolean(),
  require_last_push_approval: Type.Boolean(),
  required_approving_review_count: Type.Integer({ minimum: 0, maximum: 10 }),
  required_review_thread_resolution: Type.Boolean(),
  dismissal_restriction: Type.Optional(
    Type.Object({
      enabled: Type.Boolean(),
      allowed_actors: Type.Optional(
        Type.Array(Type.Object({ id, type: OneOf(['User', 'Team', 'IntegrationInstallation', 'RepositoryRole']) }), {
          maxItems: 100,
        }),
      ),
    }),
  ),
  required_reviewers: Type.Optional(
    Type.Array(
      Type.Object({
        file_patterns: paths,
        minimum_approvals: Type.Integer({ minimum: 0, maximum: 10 }),
        reviewer: Type.Object({ id, type: OneOf(['Team']) }),
      }),
      { maxItems: 15 },
    ),
  ),
});

const StatusChecksParameters = Type.Object({
  do_not_enforce_on_create: Type.Optional(Type.Boolean()),
  required_status_checks: Type.Array(
    Type.Object({
      context: Type.String({ minLength: 1, maxLength: 255 }),
      integration_id: Type.Optional(Nullable(id)),
    }),
    { maxItems: 100 },
  ),
  strict_required_status_checks_policy: Type.Boolean(),
});

const ScanParameters = Type.Object({
  code_scanning_tools: Type.Array(
    Type.Object({
      tool: Type.String({ minLength: 1, maxLength: 255 }),
      alerts_threshold: OneOf(['none', 'errors', 'errors_and_warnings', 'all']),
      security_alerts_threshold: OneOf(['none', 'critical', 'high_or_higher', 'medium_or_higher', 'all']),
    }),
    { maxItems: 100 },
  ),
});

const WorkflowsParameters = Type.Object({
  do_not_enforce_on_create: Type.Optional(Type.Boolean()),
  workflows: Type.Array(
    Type.Object({
      path: Type.String({ minLength: 1, maxLength: 255 }),
      ref: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
      repository_id: id,
      sha: Type.Optional(Type.String({ pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$', maxLength: 64 })),
    }),
    { maxItems: fixedValue(rulesetLimits.workflows) },
  ),
});

const count = Type.Integer({ minimum: 0, maximum: 100 });
const minutes = { maximum: 360 };

const MergeQueueParameters = Type.Object({
  check_response_timeout_minutes: Type.Integer({ minimum: 1, ...minutes }),
  grouping_strategy: OneOf(['ALLGREEN', 'HEADGREEN']),
  max_entries_to_build: count,
  max_entries_to_merge: count,
  merge_method: OneOf(['MERGE', 'SQUASH', 'REBASE']),
  min_entries_to_merge: count,
  min_entries_to_merge_wait_minutes: Type.Integer({ minimum: 0, ...minutes }),
});

const AssistantReviewParameters = Type.Object({
  review_draft_pull_requests: Type.Optional(Type.Boolean()),
  review_on_push: Type.Optional(Type.Boolean()),
});

/** The parameters of each type of rule; null for a type that has none. */
const parameters = {
  creation: null,
  update: Type.Object({ update_allows_fetch_and_merge: Type.Boolean() }),
  deletion: null,
  non_fast_forward: null,
  required_linear_history: null,
  required_signatures: null,
  required_deployments: Type.Object({
    required_deployment_environments: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 100 }),
  }),
  pull_request: PullRequestParameters,
  required_status_checks: StatusChecksParameters,
  code_scanning: ScanParameters,
  merge_queue: MergeQueueParameters,
  assistant_code_review: AssistantReviewParameters,
  workflows: WorkflowsParameters,
  commit_message_pattern: Pattern,
  commit_author_email_pattern: Pattern,
  committer_email_pattern: Pattern,
  branch_name_pattern: Pattern,
  tag_name_pattern: Pattern,
  file_path_restriction: Type.Object({ restricted_file_paths: paths }),
  file_extension_restriction: Type.Object({ restricted_file_extensions: paths }),
  max_file_path_length: Type.Object({ max_file_path_length: Type.Integer({ minimum: 1, maximum: 32_767 }) }),
  /** In megabytes. */
  max_file_size: Type.Object({ max_file_size: Type.Integer({ minimum: 1, maximum: 100 }) }),
  repository_create: null,
  repository_delete: null,
  repository_transfer: null,
  repository_name: Pattern,
  repository_visibility: Type.Object({
    allowed_visibilities: Type.Array(OneOf(['public', 'internal', 'private']), { minItems: 1, maxItems: 3 }),
  }),
} as const satisfies Readonly<Record<string, TSchema | null>>;

export type RuleType = keyof typeof parameters;
export const ruleTypes = Object.keys(parameters) as RuleType[];

type ParametersOf<Type extends RuleType> = (typeof parameters)[Type] extends TSchema
  ? Static<Extract<(typeof parameters)[Type], TSchema>>
  : undefined;

/** Types of rules whose parameters may be left out. */
const withOptionalParameters = ['update', 'merge_queue', 'assistant_code_review'] as const satisfies readonly RuleType[];
type OptionalParameters = (typeof withOptionalParameters)[number];

/** A rule of one type. */
export type RuleOf<Type extends RuleType> = Type extends RuleType
  ? ParametersOf<Type> extends undefined
    ? { readonly type: Type }
    : Type extends OptionalParameters
      ? { readonly type: Type; readonly parameters?: ParametersOf<Type> }
      : { readonly type: Type; readonly parameters: ParametersOf<Type> }
  : never;
export type Rule = RuleOf<RuleType>;

/** Rules about repositories themselves: the rules of rulesets whose target is `repository`. */
export const repositoryRuleTypes = [
  'repository_create',
  'repository_delete',
  'repository_transfer',
  'repository_name',
  'repository_visibility',
] as const satisfies readonly RuleType[];
export type RepositoryRule = RuleOf<(typeof repositoryRuleTypes)[number]>;

/** Rules about refs and pushes. */
export type RefRule = Exclude<Rule, RepositoryRule>;

/** What pushes of any ref are held to, whatever the names of the refs: the rules of rulesets whose target is `push`. */
export const pushRuleTypes: readonly RuleType[] = [
  'file_path_restriction',
  'file_extension_restriction',
  'max_file_path_length',
  'max_file_size',
];

/** Types of the public API whose rules can't be made: nothing would apply them. */
export const notOffered = ['license_compliance_scanning'] as const;

const schemaOf = (type: RuleType) => {
  const own: TSchema | null = parameters[type];
  const optional: readonly RuleType[] = withOptionalParameters;
  const named = { type: Type.Literal(type) };
  if (own === null) return Type.Object(named);
  return Type.Object({ ...named, parameters: optional.includes(type) ? Type.Optional(own) : own });
};

/** The schema of a rule of each type. */
export const schemasByType: ReadonlyMap<RuleType, TSchema> = new Map(ruleTypes.map((type) => [type, schemaOf(type)]));

/** A rule as replies have it. */
export const Rule = Type.Unsafe<Rule>(Type.Union([...schemasByType.values()]));

/** A rule as requests have it: of the types that aren't offered too, which are refused by their own message. */
export const NewRule = Type.Unsafe<{ readonly type: (typeof notOffered)[number] } | Rule>({
  type: 'object',
  required: ['type'],
  properties: { type: OneOf([...ruleTypes, ...notOffered]) },
  oneOf: [...schemasByType.values(), ...notOffered.map((type) => Type.Object({ type: Type.Literal(type) }))],
});
