import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';
import { App } from '#resources/repositories/apps/index.ts';
import { MinimalRepository } from '#resources/repositories/repositories/index.ts';
import { checkLimits } from './limits.ts';

export const statuses = ['queued', 'in_progress', 'completed'] as const;
export type CheckStatus = (typeof statuses)[number];

/** In order of precedence within a suite, the strongest first (decision 35). */
export const conclusions = [
  'action_required',
  'timed_out',
  'failure',
  'cancelled',
  'stale',
  'success',
  'neutral',
  'skipped',
] as const;
export type CheckConclusion = (typeof conclusions)[number];

const RepositoryOfHead = Type.Object({ id: Type.Integer(), url: Type.String(), name: Type.String() });
const Head = Type.Object({ ref: Type.String(), sha: Type.String(), repo: RepositoryOfHead });

/** An open pull request whose head is a check's commit. */
export const PullRequestMinimal = Type.Object({
  id: Type.Integer(),
  number: Type.Integer(),
  url: Type.String(),
  head: Head,
  base: Head,
});
export type PullRequestMinimal = Static<typeof PullRequestMinimal>;

export const CheckRun = Type.Object({
  id: Type.Integer(),
  head_sha: Type.String(),
  node_id: Type.String(),
  external_id: Type.String(),
  url: Type.String(),
  html_url: Type.String(),
  details_url: Type.String(),
  status: OneOf(statuses),
  conclusion: Nullable(OneOf(conclusions)),
  started_at: Timestamp,
  completed_at: Nullable(Timestamp),
  output: Type.Object({
    title: Nullable(Type.String()),
    summary: Nullable(Type.String()),
    text: Nullable(Type.String()),
    annotations_count: Type.Integer(),
    annotations_url: Type.String(),
  }),
  name: Type.String(),
  check_suite: Type.Object({ id: Type.Integer() }),
  app: App,
  pull_requests: Type.Array(PullRequestMinimal),
});
export type CheckRun = Static<typeof CheckRun>;

const CommitPerson = Type.Object({ name: Type.String(), email: Type.String() });

export const SimpleCommit = Type.Object({
  id: Type.String(),
  tree_id: Type.String(),
  message: Type.String(),
  timestamp: Timestamp,
  author: CommitPerson,
  committer: CommitPerson,
});
export type SimpleCommit = Static<typeof SimpleCommit>;

/** The suite of a run in payloads. */
export const SimpleCheckSuite = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  head_branch: Nullable(Type.String()),
  head_sha: Type.String(),
  status: OneOf(statuses),
  conclusion: Nullable(OneOf(conclusions)),
  url: Type.String(),
  before: Nullable(Type.String()),
  after: Nullable(Type.String()),
  pull_requests: Type.Array(PullRequestMinimal),
  app: App,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type SimpleCheckSuite = Static<typeof SimpleCheckSuite>;

/** A suite in payloads: with its commit, but without the repository, which the payload has separately. */
export const CheckSuiteInPayload = Type.Object({
  ...SimpleCheckSuite.properties,
  head_commit: SimpleCommit,
  latest_check_runs_count: Type.Integer(),
  check_runs_url: Type.String(),
});
export type CheckSuiteInPayload = Static<typeof CheckSuiteInPayload>;

export const CheckSuite = Type.Object({ ...CheckSuiteInPayload.properties, repository: MinimalRepository });
export type CheckSuite = Static<typeof CheckSuite>;

/** A run in payloads, with its suite. */
export const CheckRunInPayload = Type.Object({ ...CheckRun.properties, check_suite: SimpleCheckSuite });
export type CheckRunInPayload = Static<typeof CheckRunInPayload>;

export const annotationLevels = ['notice', 'warning', 'failure'] as const;

export const CheckAnnotation = Type.Object({
  path: Type.String(),
  blob_href: Type.String(),
  start_line: Type.Integer(),
  start_column: Nullable(Type.Integer()),
  end_line: Type.Integer(),
  end_column: Nullable(Type.Integer()),
  annotation_level: OneOf(annotationLevels),
  title: Nullable(Type.String()),
  message: Type.String(),
  raw_details: Nullable(Type.String()),
});
export type CheckAnnotation = Static<typeof CheckAnnotation>;

export const CheckSuitePreference = Type.Object({
  preferences: Type.Object({
    auto_trigger_checks: Type.Array(Type.Object({ app_id: Type.Integer(), setting: Type.Boolean() })),
  }),
  repository: MinimalRepository,
});

const limits = checkLimits;
const lineNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
/** The public API's limits. */
const longText = Type.String({ maxLength: 65_535 });
const address = Type.String({ minLength: 1, maxLength: 2_048 });
const time = Type.String({ format: 'date-time', maxLength: 64 });

const NewAnnotation = Type.Object({
  path: Type.String({ minLength: 1, maxLength: 4_096 }),
  start_line: lineNumber,
  end_line: lineNumber,
  start_column: Type.Optional(lineNumber),
  end_column: Type.Optional(lineNumber),
  annotation_level: OneOf(annotationLevels),
  message: Type.String({ minLength: 1, maxLength: 65_536 }),
  title: Type.Optional(Type.String({ maxLength: 255 })),
  raw_details: Type.Optional(Type.String({ maxLength: 65_536 })),
});
export type NewAnnotation = Static<typeof NewAnnotation>;

const title = Type.String({ maxLength: 65_535 });
const output = {
  summary: longText,
  text: Type.Optional(longText),
  annotations: Type.Optional(Type.Array(NewAnnotation, { maxItems: fixedValue(limits.annotations) })),
  images: Type.Optional(
    Type.Array(
      Type.Object({
        alt: Type.String({ maxLength: 1_024 }),
        image_url: address,
        caption: Type.Optional(Type.String({ maxLength: 1_024 })),
      }),
      { maxItems: 50 },
    ),
  ),
};

const RunAction = Type.Object({
  label: Type.String({ minLength: 1, maxLength: 20 }),
  description: Type.String({ minLength: 1, maxLength: 40 }),
  identifier: Type.String({ minLength: 1, maxLength: 20 }),
});

/** The name is in index rows, whose size is limited. */
const name = Type.String({ minLength: 1, maxLength: 255 });
const fields = {
  details_url: Type.Optional(address),
  external_id: Type.Optional(Type.String({ maxLength: 1_024 })),
  status: Type.Optional(OneOf(statuses)),
  started_at: Type.Optional(time),
  conclusion: Type.Optional(OneOf(conclusions)),
  completed_at: Type.Optional(time),
  actions: Type.Optional(Type.Array(RunAction, { maxItems: 3 })),
};

/** The full id of a commit. */
const sha = Type.String({ minLength: 1, maxLength: 64 });

export const NewCheckRun = Type.Object(
  { name, head_sha: sha, ...fields, output: Type.Optional(Type.Object({ title, ...output })) },
  { title: 'CheckRun' },
);
export type NewCheckRun = Static<typeof NewCheckRun>;

export const CheckRunChange = Type.Object(
  { name: Type.Optional(name), ...fields, output: Type.Optional(Type.Object({ title: Type.Optional(title), ...output })) },
  { title: 'CheckRun' },
);
export type CheckRunChange = Static<typeof CheckRunChange>;

export const NewCheckSuite = Type.Object({ head_sha: sha }, { title: 'CheckSuite' });

export const PreferencesChange = Type.Object(
  {
    auto_trigger_checks: withDefault(
      Type.Array(Type.Object({ app_id: Type.Integer({ minimum: 1, maximum: maxId }), setting: Type.Boolean() }), {
        maxItems: 100,
      }),
      [],
    ),
  },
  { title: 'CheckSuite' },
);
export type PreferencesChange = Static<typeof PreferencesChange>;

const byName = { check_name: Type.Optional(Type.String({ maxLength: 255 })) };
const byApp = { app_id: Type.Optional(Type.Integer({ minimum: 1, maximum: maxId })) };

export const SuiteFilter = Type.Object({ ...byApp, ...byName });
export type SuiteFilter = Static<typeof SuiteFilter>;

/** The requested runs of a suite. */
export const RunFilter = Type.Object({
  ...byName,
  status: Type.Optional(OneOf(statuses)),
  filter: withDefault(OneOf(['latest', 'all']), 'latest'),
});
export type RunFilter = Static<typeof RunFilter>;

/** The requested runs of a commit. */
export const CommitRunFilter = Type.Object({ ...RunFilter.properties, ...byApp });
