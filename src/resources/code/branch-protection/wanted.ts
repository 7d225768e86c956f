// What requests want of a protection, as settings and actors: names become ids here.

import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { keyed, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { invalidFields, unprocessable } from '#lib/refusal.ts';
import { loadApps } from '#resources/repositories/apps/index.ts';
import { type ActorKind, type ActorNames, kindNames } from './actor-kinds.ts';
import { findActors } from './actor-store.ts';
import { protectionLimits } from './limits.ts';
import type { NewProtection, ReviewsChange, StatusChecksChange } from './schemas.ts';
import type { Actor, ActorList, Lists, ReviewRequirements, Settings, StatusChecks } from './store.ts';

const maxActors = fixedValue(protectionLimits.protectionActors);
const maxChecks = fixedValue(protectionLimits.protectionChecks);

/** Lists of actors by their names; a list that is left out stays as it is. */
type WantedLists = { readonly [L in ActorList]?: ActorNames | undefined };

const resource = 'BranchProtection';

/**
 * Finds the actors that lists name.
 * @throws Refusal 422 in a user's own repository, and for names of those who may not write to the repository
 */
export async function findLists(scope: WriteScope, { repo, by }: RepositoryAction, wanted: WantedLists): Promise<Lists> {
  // the keys of WantedLists
  const given = Object.entries(wanted).flatMap(([list, names]) => (names ? [{ list: list as ActorList, names }] : []));
  if (repo.owner.kind !== 'organization' && given.some(({ list, names }) => list === 'push' || isGiven(names)))
    throw unprocessable('Only organization repositories can have users and team restrictions');
  const namesOf = (kind: ActorKind) =>
    unique(given.flatMap(({ names }) => (names[kind] ?? []).map((name) => name.toLowerCase())));
  const all = { users: namesOf('users'), teams: namesOf('teams'), apps: namesOf('apps') };
  const found = keyed(await findActors(scope.tx, { repo, by }, all), ({ kind, name }) => `${kind} ${name.toLowerCase()}`);
  const unknown = kindNames.flatMap((kind) =>
    all[kind].filter((name) => !found.has(`${kind} ${name}`)).map((name) => ({ kind, name })),
  );
  if (unknown.length > 0)
    throw invalidFields(
      unknown.map(({ kind, name }) => {
        const message = `${name} isn't one of the ${kind} that may write to the repository`;
        return { resource, field: kind, code: 'invalid', message };
      }),
    );
  const idsOf = (names: ActorNames) =>
    unique(kindNames.flatMap((kind) => (names[kind] ?? []).map((name) => found.get(`${kind} ${name.toLowerCase()}`))));
  return Object.fromEntries(given.map(({ list, names }) => [list, checkNumber(idsOf(names))]));
}

export function checkNumber(actors: readonly Actor[]): readonly Actor[] {
  if (actors.length > maxActors) throw unprocessable(`A list can have at most ${maxActors} people, teams and apps`);
  return actors;
}

/**
 * The checks of a request, each context once. Contexts are checks that any app may report; where both are given, a context that
 * is among the checks is that one, so that what a reply shows may be sent back.
 * @throws Refusal 422 for an app that there isn't
 */
export async function wantedChecks(scope: WriteScope, wanted: StatusChecksChange, former?: StatusChecks): Promise<StatusChecks> {
  const { strict = former?.strict ?? false, contexts, checks } = wanted;
  if (!contexts && !checks) return { strict, checks: former?.checks ?? [] };
  const anyApp = (contexts ?? []).map((context) => ({ context, app_id: null }));
  const bound = (checks ?? []).map(({ context, app_id = null }) => ({ context, app_id: app_id === -1 ? null : app_id }));
  const all = [...keyed([...anyApp, ...bound], ({ context }) => context).values()];
  await checkApps(
    scope,
    all.flatMap(({ app_id }) => app_id ?? []),
  );
  return { strict, checks: checkNumberOfChecks(all) };
}

export function checkNumberOfChecks(checks: StatusChecks['checks']): StatusChecks['checks'] {
  if (checks.length > maxChecks) throw unprocessable(`A branch can require at most ${maxChecks} status checks`);
  return checks;
}

async function checkApps(scope: WriteScope, ids: readonly number[]): Promise<void> {
  // The ids come from the request, and may be of no app.
  const apps: ReadonlyMap<number, unknown> = await loadApps(scope.tx, ids as Id<'apps'>[]);
  const unknown = unique(ids).filter((id) => !apps.has(id));
  if (unknown.length === 0) return;
  throw invalidFields(unknown.map((id) => ({ resource, field: 'checks', code: 'invalid', message: `There is no app ${id}` })));
}

/** An empty object means that there is no such list. */
const isGiven = (names: ActorNames): boolean => Object.keys(names).length > 0;

/** The demands on reviews, and the names of their lists. Those of a request that are left out are the former ones. */
export function wantedReviews(
  { dismissal_restrictions, bypass_pull_request_allowances, ...demands }: ReviewsChange,
  former?: ReviewRequirements,
): { reviews: ReviewRequirements; lists: WantedLists } {
  const defaults = {
    dismiss_stale_reviews: false,
    require_code_owner_reviews: false,
    require_last_push_approval: false,
    required_approving_review_count: 1,
    restricts_dismissals: false,
  };
  const restricts_dismissals =
    dismissal_restrictions === undefined ? (former?.restricts_dismissals ?? false) : isGiven(dismissal_restrictions);
  return {
    reviews: { ...defaults, ...former, ...demands, restricts_dismissals },
    lists: { dismissal: dismissal_restrictions, bypass: bypass_pull_request_allowances },
  };
}

/** A whole protection, but for required signatures, of which requests for a whole one can't speak. What is left out is off. */
export async function wantedProtection(
  scope: WriteScope,
  action: RepositoryAction,
  wanted: NewProtection,
): Promise<{ settings: Omit<Settings, 'required_signatures'>; lists: Required<Lists> }> {
  const { required_pull_request_reviews, required_status_checks, restrictions, ...switches } = wanted;
  const required = required_pull_request_reviews && wantedReviews(required_pull_request_reviews);
  const lists = await findLists(scope, action, { ...required?.lists, push: restrictions ?? undefined });
  return {
    settings: {
      enforce_admins: switches.enforce_admins ?? false,
      required_linear_history: switches.required_linear_history ?? false,
      required_conversation_resolution: switches.required_conversation_resolution ?? false,
      allow_force_pushes: switches.allow_force_pushes ?? false,
      allow_deletions: switches.allow_deletions ?? false,
      block_creations: switches.block_creations ?? false,
      lock_branch: switches.lock_branch ?? false,
      allow_fork_syncing: switches.allow_fork_syncing ?? false,
      restricts_pushes: restrictions !== null,
      status_checks: required_status_checks && (await wantedChecks(scope, required_status_checks)),
      reviews: required?.reviews ?? null,
    },
    lists: { push: [], dismissal: [], bypass: [], ...lists },
  };
}
