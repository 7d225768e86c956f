import { type Static, Type } from 'typebox';
import { fixedValue } from '#lib/limits.ts';
import { Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { Team } from '#resources/identity/teams/index.ts';
import { SimpleRepository } from '#resources/repositories/repositories/index.ts';
import { advisoryLimits } from './limits.ts';

export const ecosystems = [
  'rubygems',
  'npm',
  'pip',
  'maven',
  'nuget',
  'composer',
  'go',
  'rust',
  'erlang',
  'actions',
  'pub',
  'other',
  'swift',
] as const;

const creditTypes = [
  'analyst',
  'finder',
  'reporter',
  'coordinator',
  'remediation_developer',
  'remediation_reviewer',
  'remediation_verifier',
  'tool',
  'sponsor',
  'other',
] as const;

export const levels = ['critical', 'high', 'medium', 'low'] as const;

const Identifier = Type.Object({ type: OneOf(['CVE', 'ADVISORY']), value: Type.String() });
const Package = Type.Object({ ecosystem: OneOf(ecosystems), name: Nullable(Type.String()) });
const Score = Type.Object({ vector_string: Nullable(Type.String()), score: Nullable(Type.Number()) });

/** The common fields of repositories' advisories and package advisories. */
export const common = {
  advisory_id: Type.String(),
  cve_id: Nullable(Type.String()),
  url: Type.String(),
  html_url: Type.String(),
  summary: Type.String(),
  description: Nullable(Type.String()),
  identifiers: Type.Array(Identifier),
  cvss: Nullable(Score),
  cvss_severities: Type.Object({ cvss_v3: Score, cvss_v4: Score }),
  cwes: Type.Array(Type.Object({ cwe_id: Type.String(), name: Type.String() })),
  withdrawn_at: Nullable(Timestamp),
};

export const affected = {
  package: Package,
  vulnerable_version_range: Nullable(Type.String()),
  vulnerable_functions: Type.Array(Type.String()),
};

/** An advisory of a repository. The people who work on it, and the acceptance of credits, are shown only to those people. */
export const RepositoryAdvisory = Type.Object({
  ...common,
  severity: Nullable(OneOf(levels)),
  author: Nullable(User),
  publisher: Nullable(User),
  state: OneOf(['published', 'closed', 'withdrawn', 'draft', 'triage']),
  created_at: Timestamp,
  updated_at: Timestamp,
  published_at: Nullable(Timestamp),
  closed_at: Nullable(Timestamp),
  submission: Nullable(Type.Object({ accepted: Type.Boolean() })),
  vulnerabilities: Type.Array(Type.Object({ ...affected, patched_versions: Nullable(Type.String()) })),
  cwe_ids: Type.Array(Type.String()),
  credits: Type.Array(Type.Object({ login: Type.String(), type: OneOf(creditTypes) })),
  credits_detailed: Type.Array(
    Type.Object({ user: User, type: OneOf(creditTypes), state: OneOf(['accepted', 'declined', 'pending']) }),
  ),
  collaborating_users: Nullable(Type.Array(User)),
  collaborating_teams: Nullable(Type.Array(Team)),
  private_fork: Nullable(SimpleRepository),
});
export type RepositoryAdvisory = Static<typeof RepositoryAdvisory>;

export const Credit = Type.Object({ user: User, type: OneOf(creditTypes) });

export const AdvisoryQuery = Type.Object({
  sort: withDefault(OneOf(['created', 'updated', 'published']), 'created'),
  direction: withDefault(OneOf(['asc', 'desc']), 'desc'),
  state: Type.Optional(OneOf(['triage', 'draft', 'published', 'closed'])),
});
export type AdvisoryQuery = Static<typeof AdvisoryQuery>;

const limits = advisoryLimits;
const people = { maxItems: fixedValue(limits.people) };
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const login = Type.String({ minLength: 1, maxLength: 100 });

const NewVulnerability = Type.Object({
  package: Type.Object({
    ecosystem: OneOf(ecosystems),
    name: Type.Optional(Nullable(text(500))),
  }),
  vulnerable_version_range: Type.Optional(Nullable(text(1_000))),
  patched_versions: Type.Optional(Nullable(text(1_000))),
  vulnerable_functions: Type.Optional(Nullable(Type.Array(text(500), { maxItems: fixedValue(limits.functions) }))),
});
export type NewVulnerability = Static<typeof NewVulnerability>;

const Vulnerabilities = Type.Array(NewVulnerability, { maxItems: fixedValue(limits.vulnerabilities) });

/** The assessment of a vulnerability: its kind, and its severity as a word or a vector. */
const severityColumns = {
  cwe_ids: Type.Optional(Nullable(Type.Array(Type.String({ maxLength: 20 }), { maxItems: 100 }))),
  severity: Type.Optional(Nullable(OneOf(levels))),
  cvss_vector_string: Type.Optional(Nullable(text(500))),
};

const described = {
  summary: text(1_024),
  description: text(65_535),
};

const known = {
  cve_id: Type.Optional(Nullable(Type.String({ maxLength: 30 }))),
  credits: Type.Optional(Nullable(Type.Array(Type.Object({ login, type: OneOf(creditTypes) }), people))),
};

export const NewAdvisory = Type.Object(
  {
    ...described,
    ...known,
    ...severityColumns,
    vulnerabilities: Vulnerabilities,
    start_private_fork: withDefault(Type.Boolean(), false),
  },
  { title: 'RepositoryAdvisory' },
);
export type NewAdvisory = Static<typeof NewAdvisory>;

export const NewReport = Type.Object(
  {
    ...described,
    ...severityColumns,
    vulnerabilities: Type.Optional(Nullable(Vulnerabilities)),
    start_private_fork: withDefault(Type.Boolean(), false),
  },
  { title: 'RepositoryAdvisory' },
);
export type NewReport = Static<typeof NewReport>;

export const AdvisoryChange = Type.Object(
  {
    summary: Type.Optional(described.summary),
    description: Type.Optional(described.description),
    ...known,
    ...severityColumns,
    vulnerabilities: Type.Optional(Vulnerabilities),
    state: Type.Optional(OneOf(['published', 'closed', 'draft'])),
    collaborating_users: Type.Optional(Nullable(Type.Array(login, people))),
    collaborating_teams: Type.Optional(Nullable(Type.Array(Type.String({ minLength: 1, maxLength: 255 }), people))),
  },
  { title: 'RepositoryAdvisory' },
);
export type AdvisoryChange = Static<typeof AdvisoryChange>;

/** An advisory about packages, from the operator's files or published by a repository. */
export const GlobalAdvisory = Type.Object({
  ...common,
  repository_advisory_url: Nullable(Type.String()),
  type: OneOf(['reviewed', 'unreviewed', 'malware']),
  severity: OneOf([...levels, 'unknown']),
  source_code_location: Nullable(Type.String()),
  references: Type.Array(Type.String()),
  published_at: Timestamp,
  updated_at: Timestamp,
  service_reviewed_at: Nullable(Timestamp),
  nvd_published_at: Nullable(Timestamp),
  vulnerabilities: Type.Array(Type.Object({ ...affected, first_patched_version: Nullable(Type.String()) })),
  credits: Type.Array(Credit),
});
export type GlobalAdvisory = Static<typeof GlobalAdvisory>;

const word = Type.Optional(Type.String({ maxLength: 200 }));
const words = Type.Optional(
  Type.Union([Type.String({ maxLength: 100_000 }), Type.Array(Type.String({ maxLength: 600 }), { maxItems: 1_000 })]),
);

export const GlobalAdvisoryQuery = Type.Object({
  advisory_id: word,
  type: withDefault(OneOf(['reviewed', 'malware', 'unreviewed']), 'reviewed'),
  cve_id: word,
  ecosystem: Type.Optional(OneOf(ecosystems)),
  severity: Type.Optional(OneOf(['unknown', 'low', 'medium', 'high', 'critical'])),
  cwes: words,
  is_withdrawn: Type.Optional(Type.Boolean()),
  affects: words,
  published: word,
  updated: word,
  modified: word,
  epss_percentage: word,
  epss_percentile: word,
  sort: withDefault(OneOf(['updated', 'published', 'epss_percentage', 'epss_percentile']), 'published'),
  direction: withDefault(OneOf(['asc', 'desc']), 'desc'),
});
export type GlobalAdvisoryQuery = Static<typeof GlobalAdvisoryQuery>;

/** An advisory in the webhooks of apps, which everybody may read. */
export const SecurityAdvisory = Type.Object({
  ...common,
  cvss: Type.Object({ vector_string: Nullable(Type.String()), score: Type.Number() }),
  severity: OneOf([...levels, 'unknown']),
  references: Type.Array(Type.Object({ url: Type.String() })),
  published_at: Timestamp,
  updated_at: Timestamp,
  vulnerabilities: Type.Array(
    Type.Object({
      package: Type.Object({ ecosystem: OneOf(ecosystems), name: Type.String() }),
      severity: OneOf([...levels, 'unknown']),
      vulnerable_version_range: Type.String(),
      first_patched_version: Nullable(Type.Object({ identifier: Type.String() })),
    }),
  ),
});
export type SecurityAdvisory = Static<typeof SecurityAdvisory>;
