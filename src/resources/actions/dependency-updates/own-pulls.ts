// The bot's own pull requests, with the bot's action in their repository.
import type { JobContext } from '#endpoint/job-context.ts';
import type { Id } from '#lib/id.ts';
import type { TextAction } from '#resources/collaboration/issues/index.ts';
import { loadPulls, type PullRow } from '#resources/collaboration/pulls/index.ts';
import { loadNamedRepositories, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { botActionIn } from './bot.ts';
import { findProposal, type ProposalRow } from './store.ts';

export type OwnPull = {
  readonly row: ProposalRow;
  readonly pull: PullRow;
  readonly repository: RepositoryWithOwner;
  readonly action: TextAction;
};

/** A pull request of the bot; undefined if it isn't one, or the bot can't act in its repository. */
export async function loadOwnPull({ db, scope }: JobContext, issue: Id<'issues'>): Promise<OwnPull | undefined> {
  const row = await findProposal(db, issue);
  if (!row) return undefined;
  const [pulls, repositories] = await Promise.all([loadPulls(db, [issue]), loadNamedRepositories(db, [row.repository_id])]);
  const [pull, repository] = [pulls.get(issue), repositories.get(row.repository_id)];
  const action = repository && (await botActionIn(scope, repository));
  return pull && repository && action ? { row, pull, repository, action } : undefined;
}
