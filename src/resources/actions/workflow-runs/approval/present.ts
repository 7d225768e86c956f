import type { Repo } from '#access/viewer.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { loadEnvironments, presentNamedEnvironment, presentReviewers } from '#resources/actions/environments/index.ts';
import { type RepositoryUrls, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { loadAccounts, presentUser } from '#resources/identity/accounts/index.ts';
import { runLimits } from '../limits.ts';
import type { EnvironmentApproval, PendingDeployment } from '../schemas.ts';
import type { RunSummary } from '../store.ts';
import { loadPending, loadReviewRights } from './reviews.ts';
import { listReviews } from './store.ts';

/** What the jobs of a run wait for, and whether the viewer may approve it. */
export async function presentPending(scope: Scope, repo: Repo, run: RunSummary): Promise<PendingDeployment[]> {
  const { db, links, viewer } = scope;
  const pending = await loadPending(db, run);
  const environments = gather(pending, 'environment');
  const [{ rightIn, protectionOf }, reviewersOf] = await Promise.all([
    loadReviewRights(db, { viewer, repo }, run, environments),
    presentReviewers(scope, gather(environments, 'id')),
  ]);
  const urls = repositoryUrlsOf(links, repo);
  return pending.map(({ environment, since }) => ({
    environment: presentNamedEnvironment(urls, environment),
    wait_timer: protectionOf(environment).waitMinutes,
    wait_timer_started_at: timestampOrNull(since),
    current_user_can_approve: rightIn(environment) !== undefined,
    reviewers: reviewersOf(environment.id),
  }));
}

const most = fixedValue(runLimits.reviews);

/** The reviews of a run's deployments. */
export async function presentApprovals(
  { db, links }: Scope,
  urls: RepositoryUrls,
  run: RunSummary,
): Promise<EnvironmentApproval[]> {
  const rows = await listReviews(db, run.id, most);
  const [accounts, environments] = await Promise.all([
    loadAccounts(db, gather(rows, 'user_id')),
    loadEnvironments(
      db,
      rows.flatMap((row) => row.environments),
    ),
  ]);
  return rows.flatMap(({ state, comment, user_id, environments: ids }) => {
    const user = getOptional(accounts, user_id);
    // Deleted reviewers, and comments without a decision, aren't shown.
    if (!user || state === null) return [];
    const shown = {
      environments: ids.flatMap((id) => {
        const environment = environments.get(id);
        if (!environment) return [];
        const times = { created_at: timestamp(environment.created_at), updated_at: timestamp(environment.updated_at) };
        return [{ ...presentNamedEnvironment(urls, environment), ...times }];
      }),
      state,
      user: presentUser(links, user),
      comment,
    };
    return [shown];
  });
}
