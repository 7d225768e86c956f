import { type Static, Type } from 'typebox';
import { maxId } from '#lib/id.ts';
import { Nullable } from '#lib/shape.ts';
import { User } from '#resources/identity/accounts/index.ts';
import { Team } from '#resources/identity/teams/index.ts';
import { App } from '#resources/repositories/apps/index.ts';
import { NamesIn, names } from './actor-kinds.ts';

const Check = Type.Object({ context: Type.String(), app_id: Nullable(Type.Integer()) });

export const RequiredStatusChecks = Type.Object({
  url: Type.String(),
  strict: Type.Boolean(),
  contexts: Type.Array(Type.String()),
  checks: Type.Array(Check),
  contexts_url: Type.String(),
});
export type RequiredStatusChecks = Static<typeof RequiredStatusChecks>;

/** A switch of a protection, with its own address. */
export const ProtectionSwitch = Type.Object({ url: Type.String(), enabled: Type.Boolean() });
export type ProtectionSwitch = Static<typeof ProtectionSwitch>;

const lists = { users: Type.Array(User), teams: Type.Array(Team), apps: Type.Array(App) };

export const PushRestrictions = Type.Object({
  url: Type.String(),
  users_url: Type.String(),
  teams_url: Type.String(),
  apps_url: Type.String(),
  ...lists,
});
export type PushRestrictions = Static<typeof PushRestrictions>;

export const RequiredReviews = Type.Object({
  url: Type.String(),
  dismiss_stale_reviews: Type.Boolean(),
  require_code_owner_reviews: Type.Boolean(),
  require_last_push_approval: Type.Boolean(),
  required_approving_review_count: Type.Integer(),
  dismissal_restrictions: Type.Optional(
    Type.Object({ url: Type.String(), users_url: Type.String(), teams_url: Type.String(), ...lists }),
  ),
  bypass_pull_request_allowances: Type.Optional(Type.Object(lists)),
});
export type RequiredReviews = Static<typeof RequiredReviews>;

const Enabled = Type.Object({ enabled: Type.Boolean() });

export const Protection = Type.Object({
  url: Type.String(),
  required_status_checks: Type.Optional(RequiredStatusChecks),
  restrictions: Type.Optional(PushRestrictions),
  required_pull_request_reviews: Type.Optional(RequiredReviews),
  required_signatures: ProtectionSwitch,
  enforce_admins: ProtectionSwitch,
  required_linear_history: Enabled,
  allow_force_pushes: Enabled,
  allow_deletions: Enabled,
  block_creations: Enabled,
  required_conversation_resolution: Enabled,
  lock_branch: Enabled,
  allow_fork_syncing: Enabled,
});
export type Protection = Static<typeof Protection>;

const optionalNames = Type.Optional(names);

/** Users, teams and apps by their logins and slugs. */
const Actors = Type.Object({ users: optionalNames, teams: optionalNames, apps: optionalNames });

const app_id = Type.Optional(Nullable(Type.Integer({ minimum: -1, maximum: maxId })));
const checks = {
  contexts: optionalNames,
  checks: Type.Optional(Type.Array(Type.Object({ context: names.items, app_id }), { maxItems: 100 })),
};

/** `contexts` is an older form of checks that any app may report. */
export const StatusChecksChange = Type.Object(
  { strict: Type.Optional(Type.Boolean()), ...checks },
  { title: 'BranchProtection' },
);
export type StatusChecksChange = Static<typeof StatusChecksChange>;

const count = Type.Integer({ minimum: 0, maximum: 6 });

export const ReviewsChange = Type.Object(
  {
    dismissal_restrictions: Type.Optional(Actors),
    dismiss_stale_reviews: Type.Optional(Type.Boolean()),
    require_code_owner_reviews: Type.Optional(Type.Boolean()),
    required_approving_review_count: Type.Optional(count),
    require_last_push_approval: Type.Optional(Type.Boolean()),
    bypass_pull_request_allowances: Type.Optional(Actors),
  },
  { title: 'BranchProtection' },
);
export type ReviewsChange = Static<typeof ReviewsChange>;

const off = Type.Optional(Nullable(Type.Boolean()));

export const NewProtection = Type.Object(
  {
    required_status_checks: Nullable(Type.Object({ strict: Type.Boolean(), ...checks })),
    enforce_admins: Nullable(Type.Boolean()),
    required_pull_request_reviews: Nullable(ReviewsChange),
    restrictions: Nullable(Actors),
    required_linear_history: off,
    allow_force_pushes: off,
    allow_deletions: off,
    block_creations: off,
    required_conversation_resolution: off,
    lock_branch: off,
    allow_fork_syncing: off,
  },
  { title: 'BranchProtection' },
);
export type NewProtection = Static<typeof NewProtection>;

export const Contexts = NamesIn('contexts');
export const UserNames = NamesIn('users');
export const TeamNames = NamesIn('teams');
export const AppNames = NamesIn('apps');
