import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '#lib/shape.ts';
import { Rule } from '#resources/code/rulesets/index.ts';

const Result = OneOf(['pass', 'fail', 'bypass']);

/**
 * The results of rules for the move of a ref, or for a change of a repository itself: that has a `repository_change` in the place
 * of a ref, and no `repository_id` if the repository was not created.
 */
export const ShortRuleSuite = Type.Object({
  id: Type.Integer(),
  actor_id: Nullable(Type.Integer()),
  actor_name: Nullable(Type.String()),
  before_sha: Type.Optional(Type.String()),
  after_sha: Type.Optional(Type.String()),
  ref: Type.Optional(Type.String()),
  repository_change: Type.Optional(OneOf(['create', 'update', 'transfer', 'delete'])),
  repository_id: Type.Optional(Type.Integer()),
  repository_name: Type.String(),
  pushed_at: Timestamp,
  result: Result,
  evaluation_result: Type.Optional(Result),
});
export type ShortRuleSuite = Static<typeof ShortRuleSuite>;

const RuleEvaluation = Type.Object({
  rule_source: Type.Object({ type: Type.String(), id: Nullable(Type.Integer()), name: Nullable(Type.String()) }),
  enforcement: OneOf(['active', 'evaluate', 'deleted ruleset']),
  result: OneOf(['pass', 'fail']),
  rule_type: Type.String(),
  details: Nullable(Type.String()),
});

export const RuleSuite = Type.Object({
  ...ShortRuleSuite.properties,
  evaluation_result: Nullable(Result),
  rule_evaluations: Type.Array(RuleEvaluation),
});
export type RuleSuite = Static<typeof RuleSuite>;

/** A rule with its ruleset. */
export const BranchRule = Type.Intersect([
  Rule,
  Type.Object({
    ruleset_source_type: OneOf(['Repository', 'Organization']),
    ruleset_source: Type.String(),
    ruleset_id: Type.Integer(),
  }),
]);
export type BranchRule = Static<typeof BranchRule>;
