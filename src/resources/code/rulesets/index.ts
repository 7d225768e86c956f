export type {
  ActorFacts,
  Applied,
  AppliedRepositoryRule,
  AppliedRule,
  Bypass,
  RuledRepository,
  RuleSource,
} from './applied-rule.ts';
export { appliedRepositoryRulesOf, appliedRulesOf, bypassOf, loadActorFacts, rolesById } from './bypass.ts';
export { matchesRef, matchesRepository, type RepositoryFacts } from './conditions.ts';
export { demandOf, matchesPattern } from './patterns.ts';
export { type Pattern, Rule, type RuleOf, ruleTypes } from './rule-types.ts';
export { importRuleset } from './rules.ts';
export { actorTypes, type BypassActor, bypassModes, enforcements, RepositoryConditions, refTargets } from './schemas.ts';
export {
  listExisting,
  listOwnRulesets,
  listRepositoryFacts,
  loadRepositoryRulesets,
  loadRulesetsOf,
  type RefRuleset,
  type RepositoryRuleset,
} from './store.ts';
