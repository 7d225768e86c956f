import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { Integer32, Nullable, OneOf, Timestamp, withDefault } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { Team } from '#resources/identity/teams/index.ts';

const reviewerTypes = ['User', 'Team'] as const;

const rule = { id: Type.Integer(), node_id: Type.String() };
const WaitTimer = Type.Object({ ...rule, type: OneOf(['wait_timer']), wait_timer: Type.Integer() });

/** A user or team whose approval counts. */
export const EnvironmentReviewer = Type.Object({ type: OneOf(reviewerTypes), reviewer: Type.Union([User, Team]) });
export type EnvironmentReviewer = Static<typeof EnvironmentReviewer>;

const RequiredReviewers = Type.Object({
  ...rule,
  type: OneOf(['required_reviewers']),
  prevent_self_review: Type.Boolean(),
  reviewers: Type.Array(EnvironmentReviewer),
});
const BranchPolicyRule = Type.Object({ ...rule, type: OneOf(['branch_policy']) });
export type EnvironmentRule = Static<typeof WaitTimer> | Static<typeof RequiredReviewers> | Static<typeof BranchPolicyRule>;

const BranchPolicySettings = Type.Object({ protected_branches: Type.Boolean(), custom_branch_policies: Type.Boolean() });

/** A target of deployments, and the conditions for deploying to it. */
export const Environment = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  html_url: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  protection_rules: Type.Array(Type.Union([WaitTimer, RequiredReviewers, BranchPolicyRule])),
  deployment_branch_policy: Nullable(BranchPolicySettings),
  can_admins_bypass: Type.Boolean(),
});
export type Environment = Static<typeof Environment>;

/** The public API's limits: 30 days, in minutes, and 6 users and teams. */
const maxWait = 43_200;
const maxReviewers = 6;

export const EnvironmentSettings = Type.Object(
  {
    wait_timer: withDefault(Type.Integer({ minimum: 0, maximum: maxWait }), 0),
    prevent_self_review: withDefault(Type.Boolean(), false),
    reviewers: Type.Optional(
      Nullable(
        Type.Array(Type.Object({ type: OneOf(reviewerTypes), id: Type.Integer({ minimum: 1, maximum: maxId }) }), {
          maxItems: maxReviewers,
        }),
      ),
    ),
    deployment_branch_policy: Type.Optional(Nullable(BranchPolicySettings)),
    can_admins_bypass: withDefault(Type.Boolean(), true),
  },
  { title: 'Environment' },
);
export type EnvironmentSettings = Static<typeof EnvironmentSettings>;

const refTypes = ['branch', 'tag'] as const;

/** A pattern for the names of branches or tags that may be deployed. */
export const DeploymentBranchPolicy = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  name: Type.String(),
  type: OneOf(refTypes),
});
export type DeploymentBranchPolicy = Static<typeof DeploymentBranchPolicy>;

const pattern = Type.String({ minLength: 1, maxLength: 255 });

export const NewDeploymentBranchPolicy = Type.Object(
  { name: pattern, type: withDefault(OneOf(refTypes), 'branch') },
  { title: 'DeploymentBranchPolicy' },
);
export type NewDeploymentBranchPolicy = Static<typeof NewDeploymentBranchPolicy>;

export const DeploymentBranchPolicyChange = Type.Object({ name: pattern }, { title: 'DeploymentBranchPolicy' });
export type DeploymentBranchPolicyChange = Static<typeof DeploymentBranchPolicyChange>;

/** An app that can decide whether a deployment may proceed. */
export const DeploymentRuleApp = Type.Object({
  id: Type.Integer(),
  slug: Type.String(),
  integration_url: Type.String(),
  node_id: Type.String(),
});
export type DeploymentRuleApp = Static<typeof DeploymentRuleApp>;

/** An app that decides whether deployments may proceed. */
export const DeploymentProtectionRule = Type.Object({
  id: Type.Integer(),
  node_id: Type.String(),
  enabled: Type.Boolean(),
  app: DeploymentRuleApp,
});
export type DeploymentProtectionRule = Static<typeof DeploymentProtectionRule>;

export const NewDeploymentProtectionRule = Type.Object(
  { integration_id: Integer32({ minimum: 1 }) },
  { title: 'DeploymentProtectionRule' },
);
export type NewDeploymentProtectionRule = Static<typeof NewDeploymentProtectionRule>;
