export type { ActorFacts, AppliedRule, Bypass, RuledRepository, RuleSource } from './applied-rule.ts';
export { appliedRulesOf, bypassOf, rolesById } from './bypass.ts';
export { matchesRef } from './conditions.ts';
export { matchesPattern } from './patterns.ts';
export { type Pattern, Rule, type RuleOf, ruleTypes } from './rule-types.ts';
export { importRuleset } from './rules.ts';
export { actorTypes, type BypassActor, bypassModes, enforcements, RepositoryConditions, targets } from './schemas.ts';
export { listExisting, listOwnRulesets, loadRulesetsOf, type RulesetRow } from './store.ts';
