import { type Static, Type } from 'typebox';
import { each, Nullable, OneOf, Refused, Timestamp, withDefault } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { SimpleRepository } from '#resources/repositories/repositories/index.ts';

export const alertStates = ['auto_dismissed', 'dismissed', 'fixed', 'open'] as const;
export const severities = ['low', 'medium', 'high', 'critical'] as const;
const reasons = ['fix_started', 'inaccurate', 'no_bandwidth', 'not_used', 'tolerable_risk'] as const;

const Package = Type.Object({ ecosystem: Type.String(), name: Type.String() });

export const AdvisoryVulnerability = Type.Object({
  package: Package,
  severity: OneOf(severities),
  vulnerable_version_range: Type.String(),
  first_patched_version: Nullable(Type.Object({ identifier: Type.String() })),
});
export type AdvisoryVulnerability = Static<typeof AdvisoryVulnerability>;

const cvss = { vector_string: Nullable(Type.String()), score: Nullable(Type.Number()) };

export const DependencyAdvisory = Type.Object({
  advisory_id: Type.String(),
  cve_id: Nullable(Type.String()),
  summary: Type.String(),
  description: Type.String(),
  vulnerabilities: Type.Array(AdvisoryVulnerability),
  severity: OneOf(severities),
  classification: OneOf(['general', 'malware']),
  cvss: Type.Object({ vector_string: Nullable(Type.String()), score: Type.Number() }),
  cvss_severities: Type.Object({ cvss_v3: Type.Object(cvss), cvss_v4: Type.Object(cvss) }),
  cwes: Type.Array(Type.Object({ cwe_id: Type.String(), name: Type.String() })),
  identifiers: Type.Array(Type.Object({ type: OneOf(['CVE', 'ADVISORY']), value: Type.String() })),
  references: Type.Array(Type.Object({ url: Type.String() })),
  published_at: Timestamp,
  updated_at: Timestamp,
  withdrawn_at: Nullable(Timestamp),
});
export type DependencyAdvisory = Static<typeof DependencyAdvisory>;

export const DependencyAlert = Type.Object({
  number: Type.Integer(),
  state: OneOf(alertStates),
  dependency: Type.Object({
    package: Package,
    manifest_path: Type.String(),
    scope: OneOf(['development', 'runtime']),
    relationship: OneOf(['unknown', 'direct', 'transitive']),
  }),
  security_advisory: DependencyAdvisory,
  security_vulnerability: AdvisoryVulnerability,
  url: Type.String(),
  html_url: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  dismissed_at: Nullable(Timestamp),
  dismissed_by: Nullable(User),
  dismissed_reason: Nullable(OneOf(reasons)),
  dismissed_comment: Nullable(Type.String()),
  fixed_at: Nullable(Timestamp),
  auto_dismissed_at: Nullable(Timestamp),
  assignees: Type.Array(User),
});
export type DependencyAlert = Static<typeof DependencyAlert>;

/** An alert in the older webhook event, which receivers may still expect. */
export const VulnerabilityAlertInPayload = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  number: Type.Integer(),
  state: OneOf(['open', 'dismissed', 'fixed']),
  severity: Type.String(),
  affected_package_name: Type.String(),
  affected_range: Type.String(),
  fixed_in: Type.Optional(Type.String()),
  advisory_id: Type.String(),
  external_identifier: Type.String(),
  external_reference: Nullable(Type.String()),
  created_at: Timestamp,
  dismisser: Type.Optional(Nullable(User)),
  dismiss_reason: Type.Optional(Type.String()),
  dismiss_comment: Type.Optional(Nullable(Type.String())),
  dismissed_at: Type.Optional(Timestamp),
  fixed_at: Type.Optional(Timestamp),
});
export type VulnerabilityAlertInPayload = Static<typeof VulnerabilityAlertInPayload>;

export const OrganizationDependencyAlert = Type.Object({ ...DependencyAlert.properties, repository: SimpleRepository });

const words = Type.Optional(Type.String({ maxLength: 4_096 }));

const organizationQuery = {
  classification: words,
  state: words,
  severity: words,
  ecosystem: words,
  package: words,
  relationship: words,
  scope: Type.Optional(OneOf(['development', 'runtime'])),
  has: Type.Optional(OneOf(['patch'])),
  assignee: words,
  sort: withDefault(OneOf(['created', 'updated']), 'created'),
  direction: withDefault(OneOf(['asc', 'desc']), 'desc'),
  epss_percentage: Refused(),
};
export const OrganizationAlertQuery = Type.Object({
  ...organizationQuery,
  ...each(['artifact_registry', 'artifact_registry_url', 'runtime_risk'], Refused()),
});
export const DependencyAlertQuery = Type.Object({ ...organizationQuery, manifest: words });
export type DependencyAlertQuery = Static<typeof DependencyAlertQuery>;

export const DependencyAlertChange = Type.Object(
  {
    state: Type.Optional(OneOf(['dismissed', 'open'])),
    dismissed_reason: Type.Optional(Nullable(OneOf(reasons))),
    dismissed_comment: Type.Optional(Nullable(Type.String({ maxLength: 280 }))),
    assignees: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 10 })),
    agent_assignment: Refused(),
  },
  { title: 'DependencyAlert' },
);
export type DependencyAlertChange = Static<typeof DependencyAlertChange>;

export const DependencyReviewQuery = Type.Object({ name: Type.Optional(Type.String({ maxLength: 1_000 })) });

export const DependencyDifference = Type.Object({
  change_type: OneOf(['added', 'removed']),
  manifest: Type.String(),
  ecosystem: Type.String(),
  name: Type.String(),
  version: Type.String(),
  package_url: Nullable(Type.String()),
  license: Nullable(Type.String()),
  source_repository_url: Nullable(Type.String()),
  vulnerabilities: Type.Array(
    Type.Object({
      severity: OneOf(severities),
      advisory_identifier: Type.String(),
      advisory_summary: Type.String(),
      advisory_url: Type.String(),
    }),
  ),
  scope: OneOf(['unknown', 'runtime', 'development']),
});
export type DependencyDifference = Static<typeof DependencyDifference>;
