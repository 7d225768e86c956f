import { type NamedRepository, repositoryUrl } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { type ActorKind, actorKinds } from './actor-kinds.ts';
import type { Protection, ProtectionSwitch, PushRestrictions, RequiredReviews, RequiredStatusChecks } from './schemas.ts';
import type { Actor, ActorList, ProtectionRow, ReviewRequirements, StatusChecks } from './store.ts';

/** The repository of the path is passed to presenters of protections, for addresses. */

/** The address of a branch's protection. Slashes in the name are escaped, since it is in the middle of the path. */
export const protectionUrl = (repositoryUrl: string, branch: string): string =>
  `${repositoryUrl}/branches/${encodeURIComponent(branch)}/protection`;

const urlOf = ({ links }: Scope, repo: NamedRepository, { branch }: ProtectionRow): string =>
  protectionUrl(repositoryUrl(links, repo), branch);

/** Switches with their own addresses. */
export type Switch = 'enforce_admins' | 'required_signatures';

export const presentSwitch = (scope: Scope, repo: NamedRepository, row: ProtectionRow, name: Switch): ProtectionSwitch => ({
  url: `${urlOf(scope, repo, row)}/${name}`,
  enabled: row[name],
});

export const contextsOf = ({ checks }: StatusChecks): string[] => checks.map(({ context }) => context);

export function presentStatusChecks(
  scope: Scope,
  repo: NamedRepository,
  row: ProtectionRow,
  required: StatusChecks,
): RequiredStatusChecks {
  const url = `${urlOf(scope, repo, row)}/required_status_checks`;
  const checks = required.checks.map(({ context, app_id }) => ({ context, app_id }));
  return { url, strict: required.strict, contexts: contextsOf(required), checks, contexts_url: `${url}/contexts` };
}

const actorsOf = ({ actors }: ProtectionRow, list: ActorList): Actor[] => actors.filter((actor) => actor.list === list);

/** The actors of one kind in a list. */
export const presentActors = <Kind extends ActorKind>(scope: Scope, row: ProtectionRow, list: ActorList, kind: Kind) =>
  // the presenter of this kind
  actorKinds[kind].present(scope, actorsOf(row, list)) as ReturnType<(typeof actorKinds)[Kind]['present']>;

async function presentList(scope: Scope, row: ProtectionRow, list: ActorList) {
  const [users, teams, apps] = await Promise.all([
    presentActors(scope, row, list, 'users'),
    presentActors(scope, row, list, 'teams'),
    presentActors(scope, row, list, 'apps'),
  ]);
  return { users, teams, apps };
}

export async function presentRestrictions(scope: Scope, repo: NamedRepository, row: ProtectionRow): Promise<PushRestrictions> {
  const url = `${urlOf(scope, repo, row)}/restrictions`;
  const urls = { url, users_url: `${url}/users`, teams_url: `${url}/teams`, apps_url: `${url}/apps` };
  const { users, teams, apps } = await presentList(scope, row, 'push');
  // As in the public API, apps always have a description here.
  return { ...urls, users, teams, apps: apps.map((app) => ({ ...app, description: app.description ?? '' })) };
}

export async function presentReviews(
  scope: Scope,
  repo: NamedRepository,
  row: ProtectionRow,
  required: ReviewRequirements,
): Promise<RequiredReviews> {
  const { restricts_dismissals, ...demands } = required;
  const dismissals = `${urlOf(scope, repo, row)}/dismissal_restrictions`;
  const urls = { url: dismissals, users_url: `${dismissals}/users`, teams_url: `${dismissals}/teams` };
  const [dismissal, bypass] = await Promise.all([
    restricts_dismissals ? presentList(scope, row, 'dismissal') : undefined,
    actorsOf(row, 'bypass').length > 0 ? presentList(scope, row, 'bypass') : undefined,
  ]);
  return {
    url: `${urlOf(scope, repo, row)}/required_pull_request_reviews`,
    ...demands,
    ...(dismissal && { dismissal_restrictions: { ...urls, ...dismissal } }),
    ...(bypass && { bypass_pull_request_allowances: bypass }),
  };
}

export async function presentProtection(scope: Scope, repo: NamedRepository, row: ProtectionRow): Promise<Protection> {
  const [restrictions, reviews] = await Promise.all([
    row.restricts_pushes ? presentRestrictions(scope, repo, row) : undefined,
    row.reviews ? presentReviews(scope, repo, row, row.reviews) : undefined,
  ]);
  return {
    url: urlOf(scope, repo, row),
    ...(row.status_checks && { required_status_checks: presentStatusChecks(scope, repo, row, row.status_checks) }),
    ...(restrictions && { restrictions }),
    ...(reviews && { required_pull_request_reviews: reviews }),
    required_signatures: presentSwitch(scope, repo, row, 'required_signatures'),
    enforce_admins: presentSwitch(scope, repo, row, 'enforce_admins'),
    required_linear_history: { enabled: row.required_linear_history },
    allow_force_pushes: { enabled: row.allow_force_pushes },
    allow_deletions: { enabled: row.allow_deletions },
    block_creations: { enabled: row.block_creations },
    required_conversation_resolution: { enabled: row.required_conversation_resolution },
    lock_branch: { enabled: row.lock_branch },
    allow_fork_syncing: { enabled: row.allow_fork_syncing },
  };
}

/** The names of actors: logins, and slugs of teams and apps. */
type ActorNames = { readonly users: string[]; readonly teams: string[]; readonly apps: string[] };

/** Loads the actors of several protections once, and returns a function from one of their lists to the names in it. */
export async function presentActorNames(
  scope: Scope,
  rows: readonly ProtectionRow[],
): Promise<(row: ProtectionRow, list: ActorList) => ActorNames> {
  const all = rows.flatMap(({ actors }) => actors);
  const [users, teams, apps] = await Promise.all([
    actorKinds.users.present(scope, all),
    actorKinds.teams.present(scope, all),
    actorKinds.apps.present(scope, all),
  ]);
  const named = (shown: readonly { id: number; name: string }[], actors: readonly Actor[], column: keyof Actor): string[] => {
    const ids = new Set<number | null>(actors.map((actor) => actor[column]));
    return shown.filter(({ id }) => ids.has(id)).map(({ name }) => name);
  };
  const logins = users.map(({ id, login }) => ({ id, name: login }));
  const teamSlugs = teams.map(({ id, slug }) => ({ id, name: slug }));
  const appSlugs = apps.map(({ id, slug }) => ({ id, name: slug }));
  return (row, list) => {
    const actors = actorsOf(row, list);
    return {
      users: named(logins, actors, 'user_id'),
      teams: named(teamSlugs, actors, 'team_id'),
      apps: named(appSlugs, actors, 'app_id'),
    };
  };
}
