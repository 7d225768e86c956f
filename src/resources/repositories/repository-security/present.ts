import type { CodeQualitySetup, CodeScanningSetup } from './schemas.ts';

const notConfigured = {
  state: 'not-configured',
  languages: [],
  runner_type: null,
  runner_label: null,
  updated_at: null,
  schedule: null,
} as const;

/** The setups. They can't be configured, since the server has no code analyser. */
export const codeScanningSetup: CodeScanningSetup = {
  ...notConfigured,
  languages: [],
  query_suite: 'default',
  threat_model: 'remote',
};

export const codeQualitySetup: CodeQualitySetup = { ...notConfigured, languages: [], ai_findings_option: null };
