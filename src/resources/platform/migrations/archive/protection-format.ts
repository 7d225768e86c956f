// What protects branches and tags, in an archive.
import { type Static, Type } from 'typebox';
import { each, Nullable, OneOf } from '#lib/shape.ts';
import { protectionSwitches } from '#resources/code/branch-protection/index.ts';
import { actorTypes, bypassModes, enforcements, RepositoryConditions, Rule, refTargets } from '#resources/code/rulesets/index.ts';
import { Address, Count, Text } from './shapes.ts';

/** A person or a team. Apps are left out: another server has others. */
const Actor = Type.Object({ list: OneOf(['push', 'dismissal', 'bypass']), actor: Address });

export const ProtectedBranchRecord = Type.Object({
  type: Type.Literal('protected_branch'),
  url: Address,
  repository: Address,
  name: Type.String({ minLength: 1, maxLength: 1_024 }),
  ...each(protectionSwitches, Type.Boolean()),
  status_checks: Nullable(Type.Object({ strict: Type.Boolean(), contexts: Type.Array(Text, { maxItems: 1_000 }) })),
  reviews: Nullable(
    Type.Object({
      ...each(
        ['dismiss_stale_reviews', 'require_code_owner_reviews', 'require_last_push_approval', 'restricts_dismissals'],
        Type.Boolean(),
      ),
      required_approving_review_count: Count,
    }),
  ),
  actors: Type.Array(Actor, { maxItems: 1_000 }),
});
export type ProtectedBranchRecord = Static<typeof ProtectedBranchRecord>;

/** `actor` is a person or a team, and `role_id` the number of a role in repositories. */
const BypassActor = Type.Object({
  type: OneOf(actorTypes),
  mode: OneOf(bypassModes),
  actor: Type.Optional(Address),
  role_id: Type.Optional(Count),
});

/** A ruleset of a repository. Those of its organization aren't part of it. */
export const RulesetRecord = Type.Object({
  type: Type.Literal('ruleset'),
  url: Address,
  repository: Address,
  name: Type.String({ minLength: 1, maxLength: 255 }),
  target: OneOf(refTargets),
  enforcement: OneOf(enforcements),
  conditions: RepositoryConditions,
  rules: Type.Array(Rule, { maxItems: 1_000 }),
  bypass_actors: Type.Array(BypassActor, { maxItems: 1_000 }),
});
export type RulesetRecord = Static<typeof RulesetRecord>;
