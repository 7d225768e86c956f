import { type Static, Type } from 'typebox';
import { each, Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { SimpleRepository } from '#resources/repositories/repositories/index.ts';
import { securityLevels, severities } from './results.ts';

const states = ['open', 'dismissed', 'fixed'] as const;
const reasons = ['false positive', "won't fix", 'used in tests', 'mitigated'] as const;

const Tool = Type.Object({
  name: Type.String(),
  version: Nullable(Type.String()),
  guid: Nullable(Type.String()),
});

export const CodeScanningInstance = Type.Object({
  ref: Type.String(),
  analysis_key: Type.String(),
  environment: Type.String(),
  category: Type.String(),
  state: OneOf(['open', 'fixed']),
  commit_sha: Type.String(),
  message: Type.Object({ text: Type.String() }),
  location: Type.Object({
    path: Type.String(),
    ...each(['start_line', 'end_line', 'start_column', 'end_column'], Type.Integer()),
  }),
  classifications: Type.Array(OneOf(['source', 'generated', 'test', 'library'])),
});
export type CodeScanningInstance = Static<typeof CodeScanningInstance>;

const rule = {
  id: Type.String(),
  name: Type.String(),
  severity: OneOf(severities),
  security_severity_level: Nullable(OneOf(securityLevels)),
  description: Type.String(),
  full_description: Type.String(),
  tags: Type.Array(Type.String()),
  help_uri: Nullable(Type.String()),
};

const alert = {
  number: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
  ...each(['url', 'html_url', 'instances_url'], Type.String()),
  state: OneOf(states),
  dismissed_by: Nullable(User),
  dismissed_at: Nullable(Timestamp),
  dismissed_reason: Nullable(OneOf(reasons)),
  dismissed_comment: Nullable(Type.String()),
  tool: Tool,
  most_recent_instance: CodeScanningInstance,
  assignees: Type.Array(User),
};

/** An alert in a list, without the help of its rule, which may be long. */
export const CodeScanningAlertItem = Type.Object({ ...alert, fixed_at: Nullable(Timestamp), rule: Type.Object(rule) });
export type CodeScanningAlertItem = Static<typeof CodeScanningAlertItem>;

const ruleWithHelp = Type.Object({ ...rule, help: Nullable(Type.String()) });

export const CodeScanningAlert = Type.Object({ ...alert, fixed_at: Nullable(Timestamp), rule: ruleWithHelp });
export type CodeScanningAlert = Static<typeof CodeScanningAlert>;

/** An alert in payloads, in its state on the event's ref. */
export const CodeScanningAlertInPayload = Type.Object({ ...alert, rule: ruleWithHelp });
export type CodeScanningAlertInPayload = Static<typeof CodeScanningAlertInPayload>;

export const OrganizationCodeScanningAlert = Type.Object({
  ...CodeScanningAlertItem.properties,
  repository: SimpleRepository,
});

const name = Type.Optional(Type.String({ maxLength: 255 }));
const pullNumber = Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }));
const ref = Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 }));
const direction = withDefault(OneOf(['asc', 'desc']), 'desc');

const alertQuery = {
  tool_name: name,
  tool_guid: name,
  state: Type.Optional(OneOf(['open', 'closed', 'dismissed', 'fixed'])),
  severity: Type.Optional(OneOf(['critical', 'high', 'medium', 'low', 'warning', 'note', 'error'])),
  assignees: Type.Optional(Type.String({ maxLength: 4_096 })),
  direction,
};
export const OrganizationCodeScanningQuery = Type.Object({
  ...alertQuery,
  sort: withDefault(OneOf(['created', 'updated']), 'created'),
});
export const CodeScanningAlertQuery = Type.Object({
  ...alertQuery,
  sort: withDefault(OneOf(['created', 'number', 'updated']), 'created'),
  ref,
  pr: pullNumber,
});
export type CodeScanningAlertQuery = Static<typeof CodeScanningAlertQuery>;

export const RefQuery = Type.Object({ ref, pr: pullNumber });
export type RefQuery = Static<typeof RefQuery>;

export const CodeScanningAlertChange = Type.Object(
  {
    state: Type.Optional(OneOf(['open', 'dismissed'])),
    dismissed_reason: Type.Optional(Nullable(OneOf(reasons))),
    dismissed_comment: Type.Optional(Nullable(Type.String({ maxLength: 280 }))),
    create_request: Type.Optional(Type.Boolean()),
    assignees: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 10 })),
  },
  { title: 'CodeScanningAlert', minProperties: 1 },
);
export type CodeScanningAlertChange = Static<typeof CodeScanningAlertChange>;

export const CodeScanningAnalysis = Type.Object({
  ...each(['ref', 'commit_sha', 'analysis_key', 'environment', 'category', 'error'], Type.String()),
  created_at: Timestamp,
  ...each(['results_count', 'rules_count', 'id'], Type.Integer()),
  ...each(['url', 'sarif_id'], Type.String()),
  tool: Tool,
  deletable: Type.Boolean(),
  warning: Type.String(),
});
export type CodeScanningAnalysis = Static<typeof CodeScanningAnalysis>;

export const AnalysisQuery = Type.Object({
  tool_name: name,
  tool_guid: name,
  ref,
  pr: pullNumber,
  sarif_id: name,
  direction,
  sort: withDefault(OneOf(['created']), 'created'),
});
export type AnalysisQuery = Static<typeof AnalysisQuery>;

export const AnalysisDeletionQuery = Type.Object({ confirm_delete: Type.Optional(Type.String({ maxLength: 16 })) });

export const AnalysisDeletion = Type.Object(each(['next_analysis_url', 'confirm_delete_url'], Nullable(Type.String())));
export type AnalysisDeletion = Static<typeof AnalysisDeletion>;

export const NewSarif = Type.Object(
  {
    commit_sha: Type.String({ minLength: 40, maxLength: 64, pattern: '^[0-9a-fA-F]+$' }),
    ref: Type.String({ maxLength: 1_024, pattern: '^refs/(heads|tags|pull)/.+$' }),
    // The rules, or the limit on the body, refuse longer ones.
    sarif: Type.String({ minLength: 1, maxLength: 67_108_864 }),
    checkout_uri: Type.Optional(Type.String({ maxLength: 2_048 })),
    started_at: Type.Optional(Type.String({ format: 'date-time', maxLength: 64 })),
    tool_name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    validate: withDefault(Type.Boolean(), false),
  },
  { title: 'Sarif' },
);
export type NewSarif = Static<typeof NewSarif>;

export const SarifReceipt = Type.Object(each(['id', 'url'], Type.String()));

export const SarifStatus = Type.Object({
  processing_status: OneOf(['pending', 'complete', 'failed']),
  analyses_url: Nullable(Type.String()),
  errors: Type.Optional(Type.Array(Type.String())),
});
export type SarifStatus = Static<typeof SarifStatus>;
