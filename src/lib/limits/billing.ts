// Budgets and usage reports.
import type { LimitGroup } from './limit.ts';

export const billing = {
  budgets: { value: 100, unit: 'count', fixed: true, of: 'budgets of one organization', past: '422' },
  recipients: { value: 25, unit: 'count', fixed: true, of: 'people whom one budget tells', past: '422' },
  items: {
    value: 50_000,
    unit: 'count',
    fixed: true,
    of: 'items of one report of usage',
    past: '400, which asks for a shorter time',
  },
} as const satisfies LimitGroup;
