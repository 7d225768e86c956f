export type { ActorFacts, AppliedRule, Bypass, ProtectionRule, RuledRepository, RuleSource } from './applied-rule.ts';
export { appliedRulesOf, bypassOf, loadActorFacts, rolesById } from './bypass.ts';
export { matchesRef } from './conditions.ts';
export { matchesPattern } from './patterns.ts';
export { writesOrganizationRulesets, writesRepositoryRulesets } from './policies.ts';
export { type Pattern, pushRuleTypes, Rule, type RuleOf, type RuleType, ruleTypes } from './rule-types.ts';
export { importRuleset } from './rules.ts';
export { actorTypes, type BypassActor, bypassModes, enforcements, RepositoryConditions, targets } from './schemas.ts';
export { listExisting, listOwnRulesets, loadRulesetsOf, type RulesetRow } from './store.ts';
