import type { RuleEvaluators } from './evaluator.ts';

export const pendingEvaluators = {
  required_signatures: { kinds: ['creation', 'update'], needs: 'objects', violation: () => 'Signatures can not be judged yet.' },
} as const satisfies Partial<RuleEvaluators>;
