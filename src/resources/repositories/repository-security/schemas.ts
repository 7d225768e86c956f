import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';

export const AutomatedSecurityFixes = Type.Object({ enabled: Type.Boolean(), paused: Type.Boolean() });

export const PrivateVulnerabilityReporting = Type.Object({ enabled: Type.Boolean() });

const states = ['configured', 'not-configured'] as const;
const runnerTypes = ['standard', 'labeled'] as const;
const suites = ['default', 'extended'] as const;
const threatModels = ['remote', 'remote_and_local'] as const;
const findingOptions = ['disabled', 'on_push'] as const;
const codeLanguages = ['csharp', 'go', 'java-kotlin', 'javascript-typescript', 'python', 'ruby'] as const;
const scannedLanguages = [...codeLanguages, 'actions', 'c-cpp', 'swift'] as const;

const RunnerLabel = Nullable(Type.String({ maxLength: 256 }));

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
  languages: Type.Array(OneOf(codeLanguages)),
  ai_findings_option: Nullable(OneOf(findingOptions)),
});
export type CodeQualitySetup = Static<typeof CodeQualitySetup>;

const change = {
  state: Type.Optional(OneOf(states)),
  runner_type: Type.Optional(OneOf(runnerTypes)),
  runner_label: Type.Optional(RunnerLabel),
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

export const CodeQualitySetupChange = Type.Object(
  {
    ...change,
    languages: Type.Optional(Type.Array(OneOf(codeLanguages), { maxItems: 100 })),
    ai_findings_option: Type.Optional(OneOf(findingOptions)),
  },
  { title: 'CodeQualitySetup', additionalProperties: false, minProperties: 1 },
);

/** The reply to a change of a setup that starts no run. */
export const NothingRuns = Type.Object({});
