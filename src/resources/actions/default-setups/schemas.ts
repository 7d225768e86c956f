import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Refused, Timestamp } from '#lib/shape.ts';
import { qualityLanguages, scannedLanguages } from '#resources/repositories/repository-security/index.ts';

const states = ['configured', 'not-configured'] as const;
const runnerTypes = ['standard', 'labeled'] as const;
const suites = ['default', 'extended'] as const;
const threatModels = ['remote', 'remote_and_local'] as const;
const findingOptions = ['disabled', 'on_push'] as const;

const setup = {
  state: OneOf(states),
  runner_type: Nullable(OneOf(runnerTypes)),
  runner_label: Nullable(Type.String()),
  updated_at: Nullable(Timestamp),
  schedule: Nullable(OneOf(['weekly'])),
};

export const CodeScanningSetup = Type.Object({
  ...setup,
  languages: Type.Array(OneOf(scannedLanguages)),
  query_suite: OneOf(suites),
  threat_model: OneOf(threatModels),
});
export type CodeScanningSetup = Static<typeof CodeScanningSetup>;

export const CodeQualitySetup = Type.Object({
  ...setup,
  languages: Type.Array(OneOf(qualityLanguages)),
  ai_findings_option: Nullable(OneOf(findingOptions)),
});
export type CodeQualitySetup = Static<typeof CodeQualitySetup>;

const change = {
  state: Type.Optional(OneOf(states)),
  runner_type: Type.Optional(OneOf(runnerTypes)),
  runner_label: Type.Optional(Nullable(Type.String({ maxLength: 256 }))),
};

export const CodeScanningSetupChange = Type.Object(
  {
    ...change,
    query_suite: Type.Optional(OneOf(suites)),
    threat_model: Type.Optional(OneOf(threatModels)),
    languages: Type.Optional(Type.Array(OneOf(scannedLanguages), { maxItems: 100 })),
  },
  { title: 'CodeScanningSetup', additionalProperties: false },
);
export type CodeScanningSetupChange = Static<typeof CodeScanningSetupChange>;

export const CodeQualitySetupChange = Type.Object(
  {
    ...change,
    languages: Type.Optional(Type.Array(OneOf(qualityLanguages), { maxItems: 100 })),
    // No part of the server makes findings by AI.
    ai_findings_option: Refused('disabled'),
  },
  { title: 'CodeQualitySetup', additionalProperties: false, minProperties: 1 },
);

/** The reply to a change that starts no analysis. */
export const UnchangedSetup = Type.Object({});

/** The run that analyses the repository after a change. */
export const SetupRun = Type.Object({ run_id: Type.Integer(), run_url: Type.String() });
