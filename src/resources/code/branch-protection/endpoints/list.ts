// All protections of a repository, for its settings.
import { type Static, Type } from 'typebox';
import { endpoint } from '#endpoint/endpoint.ts';
import type { Scope } from '#endpoint/scope.ts';
import { Nullable } from '#lib/shape.ts';
import { readsProtection } from '../policies.ts';
import { contextsOf, presentActorNames } from '../present.ts';
import { listProtections, type ProtectionRow, protectionSwitches } from '../store.ts';

const Names = Type.Object({
  users: Type.Array(Type.String()),
  teams: Type.Array(Type.String()),
  apps: Type.Array(Type.String()),
});

/** A protection in a list, with the names of the people, teams and apps in it. */
const ListedProtection = Type.Object({
  branch: Type.String(),
  required_status_checks: Nullable(Type.Object({ strict: Type.Boolean(), contexts: Type.Array(Type.String()) })),
  required_reviews: Nullable(
    Type.Object({
      required_approving_review_count: Type.Integer(),
      require_code_owner_reviews: Type.Boolean(),
      dismiss_stale_reviews: Type.Boolean(),
      require_last_push_approval: Type.Boolean(),
      restricts_dismissals: Type.Boolean(),
    }),
  ),
  switches: Type.Object({
    enforce_admins: Type.Boolean(),
    required_signatures: Type.Boolean(),
    required_linear_history: Type.Boolean(),
    required_conversation_resolution: Type.Boolean(),
    allow_force_pushes: Type.Boolean(),
    allow_deletions: Type.Boolean(),
    block_creations: Type.Boolean(),
    lock_branch: Type.Boolean(),
    allow_fork_syncing: Type.Boolean(),
    restricts_pushes: Type.Boolean(),
  }),
  /** Who may push, dismiss reviews, and merge without reviews. */
  actors: Type.Object({ push: Names, dismissal: Names, bypass: Names }),
});
type ListedProtection = Static<typeof ListedProtection>;

async function presentListed(scope: Scope, rows: readonly ProtectionRow[]): Promise<ListedProtection[]> {
  const namesOf = await presentActorNames(scope, rows);
  return rows.map((row) => ({
    branch: row.branch,
    required_status_checks: row.status_checks && { strict: row.status_checks.strict, contexts: contextsOf(row.status_checks) },
    required_reviews: row.reviews,
    switches: Object.fromEntries(protectionSwitches.map((name) => [name, row[name]])) as ListedProtection['switches'],
    actors: { push: namesOf(row, 'push'), dismissal: namesOf(row, 'dismissal'), bypass: namesOf(row, 'bypass') },
  }));
}

export const listBranchProtections = endpoint({
  id: 'repos/list-branch-protections',
  method: 'GET',
  path: '/repos/{owner}/{repo}/branch-protections',
  summary: 'List the branch protections of a repository',
  access: readsProtection,
  replies: { 200: Type.Array(ListedProtection) },
  async handle({ scope, db, at }) {
    return presentListed(scope, await listProtections(db, at.repo.id));
  },
});
