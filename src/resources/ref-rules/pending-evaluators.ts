import type { RuleEvaluators } from './evaluator.ts';

export const pendingEvaluators = {
  required_signatures: { kinds: ['creation', 'update'], needs: 'objects', violation: () => 'Signatures can not be judged yet.' },
  required_deployments: { kinds: ['update'], needs: 'names', violation: () => 'Deployments can not be judged yet.' },
} as const satisfies Partial<RuleEvaluators>;
