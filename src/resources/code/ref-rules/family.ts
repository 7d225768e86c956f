import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { gitEvaluators } from './git-evaluators.ts';
import { removeOldSuites } from './jobs.ts';
import { queueEvaluators } from './queue-evaluators.ts';
import * as schemas from './schemas.ts';
import { secretEvaluators } from './secret-evaluator.ts';
import { makeRefRules } from './service.ts';
import { signatureEvaluators } from './signature-evaluator.ts';
import { statusEvaluators } from './status-evaluators.ts';

/**
 * Rules on refs: what applies to a move, what it says, and what it said. Rulesets and branch protection have families of their
 * own.
 */
export const refRules = family({
  name: 'ref-rules',
  services: { refRules: makeRefRules },
  evaluators: { ...gitEvaluators, ...statusEvaluators, ...signatureEvaluators, ...secretEvaluators, ...queueEvaluators },
  interpreters: [
    {
      reads: 'patterns of refs, paths and names in rulesets, environments, reviews and settings of actions',
      runs: 'steps',
      modules: ['git-evaluators.ts'],
      bounds: [],
    },
  ],
  schemas,
  endpoints: [endpoints],
  jobs: [removeOldSuites],
});
