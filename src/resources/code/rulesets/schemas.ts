import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { Nullable, OneOf, Patch, Timestamp, withDefault } from '#lib/shape.ts';
import { rulesetLimits } from './limits.ts';
import { NewRule, Rule } from './rule-types.ts';

export const refTargets = ['branch', 'tag', 'push'] as const;
export type RefTarget = (typeof refTargets)[number];

/** Rulesets of organizations may also be about their repositories themselves. */
const targets = [...refTargets, 'repository'] as const;
export type Target = (typeof targets)[number];

export const enforcements = ['disabled', 'active', 'evaluate'] as const;

export const actorTypes = ['Integration', 'OrganizationAdmin', 'RepositoryRole', 'Team', 'DeployKey', 'User'] as const;
export const bypassModes = ['always', 'pull_request', 'exempt'] as const;

const { rules, bypassActors, patterns } = rulesetLimits;
const maxItems = fixedValue(patterns);
const pattern = Type.String({ minLength: 1, maxLength: 255 });
const Patterns = Type.Optional(Type.Array(pattern, { maxItems }));

const RefName = Type.Object({ include: Patterns, exclude: Patterns });
const RepositoryName = Type.Object({ include: Patterns, exclude: Patterns, protected: Type.Optional(Type.Boolean()) });
const RepositoryIds = Type.Object({
  repository_ids: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: maxId }), { maxItems })),
});

const Property = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  property_values: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { minItems: 1, maxItems }),
  source: Type.Optional(OneOf(['custom', 'system'])),
});
export type Property = Static<typeof Property>;
const Properties = Type.Optional(Type.Array(Property, { maxItems }));
const RepositoryProperty = Type.Object({ include: Properties, exclude: Properties });

/** The refs of a repository that a ruleset applies to. A ruleset for pushes has none. */
export const RepositoryConditions = Type.Object({ ref_name: Type.Optional(RefName) });

/** The repositories of an organization that a ruleset applies to, and their refs. */
export const OrganizationConditions = Type.Object({
  ref_name: Type.Optional(RefName),
  repository_name: Type.Optional(RepositoryName),
  repository_id: Type.Optional(RepositoryIds),
  repository_property: Type.Optional(RepositoryProperty),
});
export type Conditions = Static<typeof OrganizationConditions>;

/** `actor_id` is null for deploy keys, and 1 for the owners of the organization. */
const BypassActor = Type.Object({
  actor_id: Nullable(Type.Integer()),
  actor_type: OneOf(actorTypes),
  bypass_mode: OneOf(bypassModes),
});
export type BypassActor = Static<typeof BypassActor>;

const NewBypassActor = Type.Object({
  actor_id: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: maxId }))),
  actor_type: OneOf(actorTypes),
  bypass_mode: withDefault(OneOf(bypassModes), 'always'),
});
export type NewBypassActor = Static<typeof NewBypassActor>;

const Link = Type.Object({ href: Type.String() });

const summary = {
  id: Type.Integer(),
  name: Type.String(),
  target: OneOf(targets),
  source_type: OneOf(['Repository', 'Organization']),
  source: Type.String(),
  enforcement: OneOf(enforcements),
};

const addresses = {
  node_id: Type.String(),
  _links: Type.Object({ self: Link, html: Link }),
  created_at: Timestamp,
  updated_at: Timestamp,
};

/** A ruleset in lists. */
export const RulesetSummary = Type.Object({ ...summary, ...addresses });
export type RulesetSummary = Static<typeof RulesetSummary>;

const content = { conditions: Type.Optional(OrganizationConditions), rules: Type.Array(Rule) };

/** A ruleset. `bypass_actors` is shown to viewers who may change it, and `current_user_can_bypass` to signed-in viewers. */
export const Ruleset = Type.Object({
  ...summary,
  bypass_actors: Type.Optional(Type.Array(BypassActor)),
  current_user_can_bypass: Type.Optional(OneOf(['always', 'pull_requests_only', 'never', 'exempt'])),
  ...content,
  ...addresses,
});
export type Ruleset = Static<typeof Ruleset>;

const version = {
  version_id: Type.Integer(),
  actor: Type.Object({ id: Type.Optional(Type.Integer()), type: Type.Optional(Type.String()) }),
  updated_at: Timestamp,
};

/** When a ruleset was created or changed, and by whom. */
export const RulesetVersion = Type.Object(version);
export type RulesetVersion = Static<typeof RulesetVersion>;

/** A version with the ruleset's former state. */
export const RulesetVersionWithState = Type.Object({
  ...version,
  state: Type.Object({ ...summary, bypass_actors: Type.Array(BypassActor), ...content }),
});
export type RulesetVersionWithState = Static<typeof RulesetVersionWithState>;

const fields = {
  name: Type.String({ minLength: 1, maxLength: 255 }),
  enforcement: OneOf(enforcements),
  bypass_actors: Type.Optional(Type.Array(NewBypassActor, { maxItems: fixedValue(bypassActors) })),
  rules: Type.Optional(Type.Array(NewRule, { maxItems: fixedValue(rules) })),
};
const ofRepository = {
  ...fields,
  target: withDefault(OneOf(refTargets), 'branch'),
  conditions: Type.Optional(RepositoryConditions),
};
const ofOrganization = {
  ...fields,
  target: withDefault(OneOf(targets), 'branch'),
  conditions: Type.Optional(OrganizationConditions),
};

const title = 'Ruleset';
export const NewRepositoryRuleset = Type.Object(ofRepository, { title });
export const NewOrganizationRuleset = Type.Object(ofOrganization, { title });
export type NewRuleset = Static<typeof NewOrganizationRuleset>;

export const RepositoryRulesetChange = Patch(Type.Object(ofRepository), { title });
export const OrganizationRulesetChange = Patch(Type.Object(ofOrganization), { title });
export type RulesetChange = Static<typeof OrganizationRulesetChange>;

export const RulesetTargets = Type.Object({
  targets: Type.Optional(Type.String({ pattern: '^(branch|tag|push|repository)(,(branch|tag|push|repository))*$' })),
});

/** Whether to include the organization's rulesets that apply to the repository. */
export const WithParents = Type.Object({ includes_parents: withDefault(Type.Boolean(), true) });
