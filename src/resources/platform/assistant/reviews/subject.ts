// The pull request of a queued review, and whether it may still be reviewed.
import { findRepoById } from '#access/lookup.ts';
import { reaches } from '#access/roles.ts';
import { type Account, everybody, type Repo } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Needs, Scope, WriteScope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';
import type { TextAction } from '#resources/collaboration/issues/index.ts';
import { loadRequests, type PullRow } from '#resources/collaboration/pulls/index.ts';
import { loadAccounts } from '#resources/identity/accounts/index.ts';
import { findAssistantBot } from '#resources/repositories/apps/index.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { notAttached, refusalOf, spentFor } from './rules.ts';
import type { AssistantServer } from './server.ts';
import type { AssistantReviewRow } from './store.ts';

export type ReviewSubject = {
  readonly pull: PullRow;
  readonly repo: Repo;
  readonly bot: Account;
  readonly requester: Id<'accounts'>;
  readonly server: AssistantServer;
};

/** What is left of a subject that can't be reviewed. */
export type RequestedPull = Pick<ReviewSubject, 'pull' | 'repo' | 'bot'>;

/** Why a review can't be written. `isReported`: a review by the assistant says why. */
export type Obstacle = { readonly reason: string; readonly subject?: RequestedPull; readonly isReported?: true };

type FindPull = (issue: Id<'issues'>) => Promise<PullRow | undefined>;

/** Reads the present state of a review's subject. In a change, `findPull` locks the pull request. */
export async function findSubject(
  scope: Scope & Needs<'assistantServer'>,
  { issue_id, requester_id }: AssistantReviewRow,
  findPull: FindPull,
): Promise<ReviewSubject | Obstacle> {
  const { db, now } = scope;
  const { assistantServer: server } = scope.services;
  const pull = issue_id === null ? undefined : await findPull(issue_id);
  const row = pull && (await findRepository(db, pull.repository_id));
  const bot = await findAssistantBot(db);
  const owner = row && (await loadAccounts(db, [row.owner_id])).get(row.owner_id);
  if (!pull || !row || !owner || !bot) return { reason: 'The pull request was deleted.' };
  const repo = { ...row, owner, role: undefined, managesSecurity: false, reached: true, held: {} };
  const subject = { pull, repo, bot };
  const requests = await loadRequests(db, everybody, [pull.id]);
  if (!requests.some(({ user_id }) => user_id === bot.id)) return { reason: 'The request was withdrawn.' };
  if (pull.state === 'closed') return { reason: 'The pull request was closed.', subject };
  if (repo.archived) return { reason: 'The repository was archived.', subject };
  if (repo.locked_by !== null) return { reason: 'The repository was locked for a migration.', subject };
  if (pull.locked) return { reason: 'The conversation was locked.', subject };
  if (requester_id === null) return { reason: 'The account of the requester was deleted.', subject };
  if (!server) return { reason: notAttached, subject };
  const lost = await lostAccessOf(db, repo, requester_id);
  if (lost !== undefined) return { reason: lost, subject };
  const refusal = await refusalOf(scope, { server, repo, requester: requester_id });
  if (refusal !== undefined) return { reason: refusal, subject };
  const spent = await spentFor(db, { repo, requester: requester_id }, now);
  return spent === undefined
    ? { ...subject, requester: requester_id, server }
    : { reason: `${spent}.`, subject, isReported: true };
}

/** Why somebody may not have a repository reviewed any more; undefined if they may. */
export async function lostAccessOf(db: Db, repo: Repo, requester: Id<'accounts'>): Promise<string | undefined> {
  const account = (await loadAccounts(db, [requester])).get(requester);
  if (!account || account.suspended_at !== null) return 'The account of the requester was suspended or deleted.';
  if (repo.visibility !== 'private') return undefined;
  const role = (await findRepoById(db, { account, grant: { kind: 'none' } }, repo.id))?.role;
  return reaches(role, 'read') ? undefined : 'The requester can no longer read the repository.';
}

/** The assistant's action on a pull request. Its texts mention nobody, since others may have steered them. */
export const assistantAction = ({ links, now }: WriteScope, { repo, bot }: RequestedPull): TextAction => ({
  repo,
  by: { account: bot, grant: { kind: 'none' } },
  now,
  html: links.html,
  ignoresReferences: true,
});
