import { limitGroup } from '#lib/limits.ts';

export const billingLimits = limitGroup('billing', 'Billing', {
  budgets: { value: 100, unit: 'count', fixed: true, of: 'budgets of one organization, for single users aside', past: '422' },
  userBudgets: { value: 1_000, unit: 'count', fixed: true, of: 'budgets of one organization for single users', past: '422' },
  recipients: { value: 25, unit: 'count', fixed: true, of: 'people whom one budget tells', past: '422' },
  items: {
    value: 50_000,
    unit: 'count',
    fixed: true,
    of: 'items of one report of usage',
    past: '400, which asks for a shorter time',
  },
});
