import { limitGroup, moreLimits } from '#lib/limits.ts';

export const rulesetLimits = limitGroup('rules', 'Rulesets', {
  rulesets: { value: 75, unit: 'count', fixed: true, of: 'rulesets of one repository, and of one organization', past: '422' },
  rules: { value: 100, unit: 'count', fixed: true, of: 'rules of one ruleset', past: '422' },
  workflows: { value: 20, unit: 'count', fixed: true, of: 'workflows that one rule requires', past: '422' },
  bypassActors: { value: 100, unit: 'count', fixed: true, of: 'actors that bypass one ruleset', past: '422' },
  patterns: {
    value: 250,
    unit: 'count',
    fixed: true,
    of: 'patterns, ids or properties in each list of the conditions of a ruleset',
    past: '422',
  },
});

export const expressionLimits = moreLimits('interpreters', {
  expressionSize: {
    value: 2_500,
    unit: 'count',
    fixed: true,
    of: 'instructions of RE2 that the regular expression of a rule makes',
    past: '422',
  },
  expressionSteps: {
    value: 10_000_000,
    unit: 'count',
    fixed: true,
    of: 'instructions of the regular expression of a rule, times the characters of a message, an address or a name',
    past: 'the text violates the rule',
  },
});
