import { family } from '#resources/family.ts';
import * as alerts from './endpoints/alerts.ts';
import * as analyses from './endpoints/analyses.ts';
import { codeScanningEvents } from './events.ts';
import { followBranches, recheckPulls } from './jobs.ts';
import * as limits from './limits.ts';
import { processUpload, undoAnalysis } from './process.ts';
import { scanEvaluators } from './rule-evaluators.ts';
import * as schemas from './schemas.ts';
import { makeSarifLimiter } from './services.ts';
import { loadKnownKeys } from './upload-store.ts';

/** The results of tools that analyse code: their files, and the alerts that result from them. */
export const codeScanning = family({
  name: 'code-scanning',
  effect: "An analyser's results become alerts and checks of a repository; alerts are dismissed or reopened.",
  page: 'code-scanning.md',
  limits,
  interpreters: [
    {
      reads: 'SARIF',
      runs: 'steps',
      modules: ['sarif.ts'],
      bounds: ['codeScanning.packedSize', 'codeScanning.unpackedSize', 'codeScanning.values'],
    },
  ],
  schemas,
  endpoints: [analyses, alerts],
  events: codeScanningEvents,
  evaluators: scanEvaluators,
  services: { sarifLimiter: makeSarifLimiter },
  payloadParts: { alert: schemas.CodeScanningAlertInPayload },
  subscriptions: [recheckPulls, followBranches],
  jobs: [processUpload, undoAnalysis],
  loadKnownObjects: loadKnownKeys,
});
