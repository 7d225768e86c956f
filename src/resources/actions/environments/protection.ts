// What deployments into an environment wait for. The decision needs no database: who asks has loaded what protects the
// environment.
import type { Db } from '#database/connect.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fnmatchOf, fnmatchProblem, matchesFnmatch, pathOf } from '#lib/path-pattern.ts';
import { addMinutes } from '#lib/time.ts';
import {
  type BranchPolicyRow,
  type EnvironmentRow,
  loadBranchPolicies,
  loadReviewers,
  loadRules,
  type RuleRow,
} from './store.ts';

/** Whose approval counts: one of these people, or somebody in one of these teams. */
type Reviewers = { readonly users: readonly Id<'accounts'>[]; readonly teams: readonly Id<'teams'>[] };

/** All that protects an environment. */
export type Protection = {
  readonly deploys: EnvironmentRow['deploys'];
  readonly policies: readonly Pick<BranchPolicyRow, 'type' | 'name'>[];
  readonly waitMinutes: number;
  /** Undefined where nobody's approval is needed. Where it is needed and nobody is left who could give it, there is no way on. */
  readonly review: (Reviewers & { readonly preventSelfReview: boolean }) | undefined;
  readonly apps: readonly Id<'apps'>[];
};

/** Loads what protects some environments, in three statements. */
export async function loadProtections(
  db: Db,
  rows: readonly EnvironmentRow[],
): Promise<(environment: Pick<EnvironmentRow, 'id' | 'deploys'>) => Protection> {
  const ids = gather(rows, 'id');
  const patterned = rows.filter(({ deploys }) => deploys === 'custom');
  const [rules, reviewers, policies] = await Promise.all([
    loadRules(db, ids),
    loadReviewers(db, ids),
    loadBranchPolicies(db, gather(patterned, 'id')),
  ]);
  return ({ id, deploys }) => {
    const of = <Row extends { environment_id: EnvironmentRow['id'] }>(all: readonly Row[]): Row[] =>
      all.filter(({ environment_id }) => environment_id === id);
    const own = of(rules);
    const ruleOf = (type: RuleRow['type']) => own.find((rule) => rule.type === type);
    const review = ruleOf('required_reviewers');
    return {
      deploys,
      policies: of(policies),
      waitMinutes: ruleOf('wait_timer')?.wait_minutes ?? 0,
      review: review && {
        users: gather(of(reviewers), 'user_id').flatMap((user) => user ?? []),
        teams: gather(of(reviewers), 'team_id').flatMap((team) => team ?? []),
        preventSelfReview: review.prevent_self_review === true,
      },
      apps: gather(own, 'app_id').flatMap((app) => app ?? []),
    };
  };
}

/** Loads what protects an environment, in three statements. */
export const loadProtection = async (db: Db, row: EnvironmentRow): Promise<Protection> => (await loadProtections(db, [row]))(row);

/** How branches of the repository are protected: whether any is, and whether the one in question is. */
export type BranchProtection = { readonly isAny: boolean; readonly isThis: boolean };

const heads = 'refs/heads/';
const tags = 'refs/tags/';

/**
 * Whether a ref may be deployed. As in the public API, an environment of protected branches takes all branches while none is
 * protected, and other refs than branches and tags, as `refs/pull/1/merge`, are matched whole by the patterns of branches.
 * @param ref the full name; undefined for a commit that was named by itself, which an environment that chooses its refs doesn't
 * take
 */
export function mayDeploy(
  { deploys, policies }: Pick<Protection, 'deploys' | 'policies'>,
  ref: string | undefined,
  protectedBranches: BranchProtection,
): boolean {
  if (deploys === 'all') return true;
  if (ref === undefined) return false;
  if (deploys === 'protected') return ref.startsWith(heads) && (protectedBranches.isThis || !protectedBranches.isAny);
  const isTag = ref.startsWith(tags);
  const path = pathOf(isTag ? ref.slice(tags.length) : ref.startsWith(heads) ? ref.slice(heads.length) : ref);
  return policies.some(
    ({ type, name }) => (type === 'tag') === isTag && fnmatchProblem(name) === undefined && matchesFnmatch(fnmatchOf(name), path),
  );
}

/** An approval, with the environment's teams that the approver belongs to. */
export type Approval = { readonly by: Id<'accounts'>; readonly teams: readonly Id<'teams'>[] };

/** A requested deployment, with its approvals so far. */
export type Attempt = {
  /** As for `mayDeploy`. */
  readonly ref: string | undefined;
  readonly protectedBranches: BranchProtection;
  /** The user who requested it; undefined where nobody is known. */
  readonly actor: Id<'accounts'> | undefined;
  readonly at: Date;
  readonly approvals: readonly Approval[];
  /** The apps that let it go on. */
  readonly passed: readonly Id<'apps'>[];
};

/** What a deployment still waits for. */
export type Waiting =
  | { readonly state: 'refused' }
  | {
      readonly state: 'waiting';
      readonly until: Date | undefined;
      /** Whose approval is missing, and whose wouldn't count. */
      readonly review: (Reviewers & { readonly except: Id<'accounts'> | undefined }) | undefined;
      readonly apps: readonly Id<'apps'>[];
    }
  | { readonly state: 'ready' };

/**
 * What a deployment of a ref by an actor must still wait for: the time to pass, one approval, and all apps. Jobs of workflow runs
 * ask this; a deployment that is created by the API asks `mayDeploy` alone, as in the public API.
 */
export function waitsFor(protection: Protection, attempt: Attempt, now: Date): Waiting {
  if (!mayDeploy(protection, attempt.ref, attempt.protectedBranches)) return { state: 'refused' };
  const { waitMinutes, review: needed, apps: asked } = protection;
  const end = addMinutes(attempt.at, waitMinutes);
  const until = end > now ? end : undefined;
  const apps = asked.filter((app) => !attempt.passed.includes(app));
  const review = needed && missingReview(needed, attempt);
  return until || review || apps.length > 0 ? { state: 'waiting', until, review, apps } : { state: 'ready' };
}

function missingReview(
  needed: NonNullable<Protection['review']>,
  { actor, approvals }: Attempt,
): (Reviewers & { except: Id<'accounts'> | undefined }) | undefined {
  if (approvals.some((approval) => counts(needed, actor, approval))) return undefined;
  const { users, teams, preventSelfReview } = needed;
  return { users, teams, except: preventSelfReview ? actor : undefined };
}

/** Whether an approval counts for a deployment that an actor requested. */
export const counts = (
  { users, teams, preventSelfReview }: NonNullable<Protection['review']>,
  actor: Id<'accounts'> | undefined,
  { by, teams: own }: Approval,
): boolean => !(preventSelfReview && by === actor) && (users.includes(by) || own.some((team) => teams.includes(team)));
