import { findRepoById, hasRole } from '#access/lookup.ts';
import { reaches } from '#access/roles.ts';
import type { Repo, SignedIn } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Scope, WriteScope } from '#endpoint/scope.ts';
import { findPushers, type Pushers } from '#events/read.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { copyCommit } from '#git/objects/alternates.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Branch } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { forbidden, invalid, orNotFound } from '#lib/refusal.ts';
import { type MoveScope, recoverRefs } from '#resources/code/pushes/index.ts';
import { endRelations, lockRelations } from '#resources/collaboration/issue-relations/index.ts';
import {
  changeIssue,
  eventOf,
  findIssueForUpdate,
  type IssueRow,
  insertIssue,
  recordActivity,
  recordReferences,
  selectIssue,
  type TextAction,
  updateIssue,
  viaApp,
} from '#resources/collaboration/issues/index.ts';
import { checkJobMayApprove } from '#resources/repositories/apps/index.ts';
import { findCapFor } from '#resources/repositories/interaction-limits/index.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import { type Changes, changesBetween } from './changes.ts';
import { replaceCommits } from './commit-store.ts';
import { diskOfBoth, getBase, getHead, type Head } from './heads.ts';
import { recordedPushers } from './pushers.ts';
import type { NewPullRequest, PullRequestChange } from './schemas.ts';
import { type Branches, countOpenBy, findOpenBetween, findPullForUpdate, insertPull, type PullRow, updatePull } from './store.ts';

/** The ends of a pull request that is to be opened, and what Git says of them. */
type Ends = { base: Branch; head: Head; changes: Changes; commits: readonly Oid[] };

/**
 * Finds the ends of a new pull request, and brings the commits of a head in another repository here. It changes no ref and no
 * row.
 * @throws Refusal 422 where a branch doesn't exist, or the head has nothing that the base hasn't
 */
export async function prepareEnds(
  scope: MoveScope,
  { repo, by }: { repo: Repo; by: SignedIn },
  wanted: Pick<NewPullRequest, 'base' | 'head' | 'head_repo'>,
): Promise<Ends> {
  const { db, git } = scope;
  await checkMayOpen(db, repo, by);
  const gitRepository = repoOf(git, repo.id);
  const [base, head] = await Promise.all([getBase(gitRepository, wanted.base), getHead(scope, repo, wanted)]);
  if (by.grant.kind !== 'installation' && !reaches(repo.role, 'write') && !reaches(head.repo.role, 'write'))
    throw invalid('PullRequest', 'user', 'custom', 'must be a collaborator');
  // Who pushed it is known once the push is recorded.
  await recoverRefs(scope, head.repo.id, [head.name]);
  const found = await changesBetween(diskOfBoth(git, repo, head.repo), { base: base.oid, head: head.oid });
  const names = `${wanted.base} and ${wanted.head}`;
  if (!found) throw invalid('PullRequest', 'head', 'custom', `${names} have entirely different commit histories`);
  if (found.commits.length === 0) throw invalid('PullRequest', 'head', 'custom', `No commits between ${names}`);
  if (head.repo.id !== repo.id) await copyCommit(gitRepository, repoOf(git, head.repo.id), head.oid);
  return { base, head, ...found };
}

/** Refuses callers without a role in the repository, if only collaborators may open pull requests there. Apps are exempt. */
async function checkMayOpen(db: Db, repo: Repo, by: SignedIn): Promise<void> {
  if (repo.pull_request_creation_policy === 'all' || by.grant.kind === 'installation') return;
  if (!(await hasRole(db, repo.id, by.account.id)))
    throw forbidden('Only collaborators may open pull requests in this repository.');
}

/**
 * Opens a pull request, or makes one of an issue. The caller writes its refs afterwards.
 * @throws Refusal 403 for a workflow job, where the settings don't let jobs
 */
export async function openPull(
  scope: WriteScope,
  action: TextAction,
  { base, head, changes, commits }: Ends,
  wanted: NewPullRequest,
): Promise<PullRow> {
  const { repo } = action;
  await checkJobMayApprove(scope.tx, action);
  const issue = wanted.issue === undefined ? await insertNew(scope, action, wanted) : await convertIssue(scope, action, wanted);
  const branches = { base_ref: base.short, head_ref: head.short, head_repository_id: head.repo.id };
  await checkUnique(scope, repo, branches, head.repo.owner.login);
  await checkCap(scope, action);
  const isFork = head.repo.id !== repo.id;
  const { merge_base_sha: since } = changes;
  const found = await findPushers(scope.tx, head.repo.id, { ref: head.name, tip: head.oid, since });
  const {
    issue_id: _,
    repository_id: _repository,
    ...own
  } = await insertPull(scope.tx, {
    issue_id: issue.id,
    repository_id: repo.id,
    ...branches,
    head_owner_id: head.repo.owner_id,
    base_sha: base.oid,
    head_sha: head.oid,
    ...changes,
    maintainer_can_modify: isFork && wanted.maintainer_can_modify && mayOpenToOthers(head.repo),
    opened_by: action.by.account.id,
    // Who opens it vouches for nothing that somebody else has pushed.
    head_pushed_by: found ? (found.latest ?? null) : action.by.account.id,
    ...(isFork ? pushersOf(head, found) : { head_pushers: [action.by.account.id] }),
  });
  await replaceCommits(scope.tx, issue.id, commits, action.now);
  const opened = await recordActivity(scope, action, issue, [{ event: eventOf(action, issue, 'opened', {}) }]);
  if (wanted.issue === undefined) await recordReferences(scope, action, { issue: issue.id, after: issue.body });
  return { ...own, ...opened };
}

/** Everybody who pushed to the head in a fork since its base: the fork's owner, where nobody did. */
const pushersOf = ({ repo }: Head, found: Pushers | undefined) =>
  found ? recordedPushers(found.all, !found.isComplete) : { head_pushers: [repo.owner_id] };

/** The repository stays locked, so that of two concurrent requests for the same branches, one is refused. */
async function checkUnique(scope: WriteScope, repo: Repo, branches: Branches, headOwner: string): Promise<void> {
  await lockRepository(scope.tx, repo.id);
  if (!(await findOpenBetween(scope.tx, repo.id, branches))) return;
  const message = `A pull request already exists for ${headOwner}:${branches.head_ref}.`;
  throw invalid('PullRequest', 'head', 'custom', message);
}

/** The repository is locked, so that concurrent requests count each other. Apps were let in by those who set caps. */
async function checkCap(scope: WriteScope, { repo, by: { account, grant } }: TextAction): Promise<void> {
  if (grant.kind === 'installation' || reaches(repo.role, 'write')) return;
  const cap = await findCapFor(scope.tx, repo, account.id);
  if (cap === undefined || (await countOpenBy(scope.tx, repo.id, account.id)) <= cap) return;
  throw forbidden(`You may have at most ${cap} open pull requests in this repository.`);
}

async function insertNew(
  scope: WriteScope,
  { repo, by, now }: TextAction,
  { title = '', body, draft }: NewPullRequest,
): Promise<IssueRow> {
  if (title.trim() === '') throw invalid('PullRequest', 'title', 'missing_field');
  const row = {
    repository_id: repo.id,
    title: title.trim(),
    body: body ?? null,
    author_id: by.account.id,
    milestone_id: null,
    via_app_id: viaApp(by),
    is_pull_request: true,
    is_draft: draft,
    created_at: now,
    updated_at: now,
  };
  return insertIssue(scope.tx, row, { labels: [], assignees: [] });
}

/** Makes an open issue a pull request, which keeps its number, texts and conversation, and has no relations any more. */
async function convertIssue(scope: WriteScope, action: TextAction, { issue: number, draft }: NewPullRequest): Promise<IssueRow> {
  const { repo, by, now } = action;
  const refused = () => invalid('PullRequest', 'issue', 'invalid');
  const found = number === undefined ? undefined : await selectIssue(scope.tx, repo.id, number).executeTakeFirst();
  if (found) await lockRelations(scope.tx, { repo, issue: found });
  const issue = found && (await findIssueForUpdate(scope.tx, found));
  if (!issue || issue.is_pull_request || issue.state === 'closed') throw refused();
  if (issue.author_id !== by.account.id && by.grant.kind !== 'installation' && !reaches(repo.role, 'triage')) throw refused();
  await endRelations(scope, action, issue);
  return updateIssue(scope.tx, issue.id, { is_pull_request: true, is_draft: draft, updated_at: now });
}

/** What a change of the base branch needs of Git, found before the transaction, for the head that the pull request had then. */
export type NewBase = { base: Branch; head: Oid; changes: Changes; commits: readonly Oid[] };

/** Finds the branch into which a pull request shall be merged from now on; undefined where that is the present one. */
export async function prepareBase(
  { git }: Scope,
  repo: Repo,
  pull: PullRow,
  name: string | undefined,
): Promise<NewBase | undefined> {
  if (name === undefined) return undefined;
  const gitRepository = repoOf(git, repo.id);
  const base = await getBase(gitRepository, name);
  if (base.short === pull.base_ref) return undefined;
  const found = await changesBetween(gitRepository, { base: base.oid, head: pull.head_sha });
  if (!found) throw invalid('PullRequest', 'base', 'invalid', `There is no common commit of ${name} and ${pull.head_ref}`);
  if (found.commits.length === 0)
    throw invalid(
      'PullRequest',
      'base',
      'invalid',
      `There are no new commits between base branch '${name}' and head branch '${pull.head_ref}'`,
    );
  return { base, head: pull.head_sha, ...found };
}

/**
 * Changes a pull request. Its author, and those who may triage, may change texts and state; the base is for who may also write.
 */
export async function changePull(
  scope: WriteScope,
  action: TextAction,
  pull: PullRow,
  { base: _, draft, maintainer_can_modify, ...wanted }: PullRequestChange,
  newBase: NewBase | undefined,
): Promise<PullRow> {
  const { repo, by } = action;
  const mayWrite = by.grant.kind === 'installation' || reaches(repo.role, 'write') || pull.author_id === by.account.id;
  if (newBase && !mayWrite) throw forbidden('Must have push access to change the base branch.');
  const changed = { ...pull, ...(await changeIssue(scope, action, pull, wanted)) };
  if (newBase) await changeBase(scope, action, changed, newBase);
  if (draft !== undefined && draft !== pull.is_draft && mayWrite) await changeDraft(scope, action, changed, draft);
  if (maintainer_can_modify !== undefined && pull.author_id === by.account.id && pull.head_repository_id !== pull.repository_id) {
    if (maintainer_can_modify) await checkMayWriteToHead(scope, pull, by);
    await updatePull(scope.tx, pull.id, { maintainer_can_modify });
  }
  return orNotFound(await findPullForUpdate(scope.tx, pull));
}

/** Only who may write to a fork lets others modify a branch of it, and an organization lets nobody. */
const mayOpenToOthers = ({ role, owner }: Repo): boolean => reaches(role, 'write') && owner.kind === 'user';

async function checkMayWriteToHead(scope: WriteScope, { head_repository_id }: PullRow, by: SignedIn): Promise<void> {
  const head = head_repository_id === null ? undefined : await findRepoById(scope.tx, by, head_repository_id);
  if (!head || !mayOpenToOthers(head)) throw invalid('PullRequest', 'maintainer_can_modify', 'invalid');
}

/** Makes a pull request a draft, which can't be merged, or ready. */
async function changeDraft(scope: WriteScope, action: TextAction, pull: PullRow, is_draft: boolean): Promise<void> {
  if (pull.state === 'closed') throw invalid('PullRequest', 'draft', 'invalid', 'A closed pull request stays as it is.');
  const changed = await updateIssue(scope.tx, pull.id, { is_draft, updated_at: action.now });
  const kind = is_draft ? 'pull_request.converted_to_draft' : 'pull_request.ready_for_review';
  const issueEvent = { event: is_draft ? 'convert_to_draft' : 'ready_for_review' } as const;
  const event = { ...inRepository(action), kind, data: { issue: pull.id } } as const;
  await recordActivity(scope, action, changed, [{ event, issueEvent }]);
}

async function changeBase(scope: WriteScope, action: TextAction, pull: PullRow, newBase: NewBase): Promise<void> {
  const { base, head } = newBase;
  if (pull.state === 'closed')
    throw invalid('PullRequest', 'base', 'invalid', 'Cannot change the base branch of a closed pull request.');
  if (pull.head_sha !== head) throw invalid('PullRequest', 'base', 'custom', 'Head branch was modified. Try again.');
  const { repo } = action;
  await checkUnique(scope, repo, { ...pull, base_ref: base.short }, repo.owner.login);
  await recordActivity(scope, action, pull, [{ issueEvent: { event: 'base_ref_changed' } }]);
  await setBase(scope, inRepository(action), pull, newBase);
}

/**
 * Gives a pull request another base, and records that it was edited. The caller has checked that it may have it, and tells its
 * timeline.
 */
export async function setBase(
  scope: WriteScope,
  event: ReturnType<typeof inRepository>,
  pull: PullRow,
  { base, changes, commits }: NewBase,
): Promise<void> {
  await replaceCommits(scope.tx, pull.id, commits, event.at);
  // The same head brings other changes to a base with which it has other commits in common.
  const others = changes.merge_base_sha === pull.merge_base_sha ? {} : { same_heads: [], base_changed_at: event.at };
  await updatePull(scope.tx, pull.id, { base_ref: base.short, base_sha: base.oid, ...others, ...changes, ...untested });
  const from = { ref: pull.base_ref, sha: pull.base_sha };
  await record(scope.tx, { ...event, kind: 'pull_request.edited', data: { issue: pull.id, changes: { base: from } } });
}

/** The columns of a pull request whose merge has to be tested again. */
export const untested = { is_mergeable: null, is_rebaseable: null, tested_base_sha: null, tested_head_sha: null } as const;
