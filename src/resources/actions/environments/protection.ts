// What deployments into an environment wait for. The decision needs no database, since callers load the protection first.
import type { Db } from '#database/connect.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fnmatchOf, fnmatchProblem, matchesFnmatch, pathOf } from '#lib/path-pattern.ts';
import { stepsOfWork } from '#lib/pattern-steps.ts';
import { Refusal } from '#lib/refusal.ts';
import { addMinutes } from '#lib/time.ts';
import {
  type BranchPolicyRow,
  type EnvironmentRow,
  loadBranchPolicies,
  loadReviewers,
  loadRules,
  type RuleRow,
} from './store.ts';

/** The possible reviewers: these people, and the members of these teams. */
type Reviewers = { readonly users: readonly Id<'accounts'>[]; readonly teams: readonly Id<'teams'>[] };

/** All that protects an environment. */
export type Protection = {
  readonly deploys: EnvironmentRow['deploys'];
  readonly policies: readonly Pick<BranchPolicyRow, 'type' | 'name'>[];
  readonly waitMinutes: number;
  /** Undefined if no approval is needed. If approval is needed but no reviewers are left, no deployment can proceed. */
  readonly review: (Reviewers & { readonly preventSelfReview: boolean }) | undefined;
  readonly apps: readonly Id<'apps'>[];
};

/** Loads the protection of environments, in three statements. */
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

/** Loads the protection of an environment, in three statements. */
export const loadProtection = async (db: Db, row: EnvironmentRow): Promise<Protection> => (await loadProtections(db, [row]))(row);

/** The branch protection of a repository: whether any branch is protected, and whether this one is. */
export type BranchProtection = { readonly isAny: boolean; readonly isThis: boolean };

const heads = 'refs/heads/';
const tags = 'refs/tags/';

/**
 * Whether a ref may be deployed. As in the public API, an environment for protected branches accepts all branches while none is
 * protected, and refs other than branches and tags, for example `refs/pull/1/merge`, must match a branch pattern as a whole.
 * @param ref the full name; undefined for a bare commit, which an environment with restricted refs doesn't accept
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
  const work = stepsOfWork();
  const matches = (name: string): boolean =>
    fnmatchProblem(name, work) === undefined && matchesFnmatch(fnmatchOf(name, work), path, work);
  try {
    return policies.some(({ type, name }) => (type === 'tag') === isTag && matches(name));
  } catch (error) {
    if (error instanceof Refusal) return false; // it takes too many steps
    throw error;
  }
}

/** An approval, with the teams of the environment that the approver belongs to. */
export type Approval = { readonly by: Id<'accounts'>; readonly teams: readonly Id<'teams'>[] };

/** A requested deployment, with its approvals so far. */
export type Attempt = {
  /** As in `mayDeploy`. */
  readonly ref: string | undefined;
  readonly protectedBranches: BranchProtection;
  /** The user who requested it; undefined if unknown. */
  readonly actor: Id<'accounts'> | undefined;
  readonly at: Date;
  readonly approvals: readonly Approval[];
  /** The apps that approved it. */
  readonly passed: readonly Id<'apps'>[];
};

/** What a deployment still waits for. */
export type Waiting =
  | { readonly state: 'refused' }
  | {
      readonly state: 'waiting';
      readonly until: Date | undefined;
      /** The missing approval: possible reviewers, and the users whose approval doesn't count. */
      readonly review: (Reviewers & { readonly except: Id<'accounts'> | undefined }) | undefined;
      readonly apps: readonly Id<'apps'>[];
    }
  | { readonly state: 'ready' };

/**
 * What a deployment must still wait for: the wait timer, one approval, and all apps. This applies to jobs of workflow runs. For a
 * deployment that is created through the API, only `mayDeploy` applies, as in the public API.
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
