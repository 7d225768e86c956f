// What a search has found becomes branches and pull requests. Nothing that a job returned is trusted: its patches may change only
// manifests and lock files, and all rules hold for the bot as for any other app.
import type { JobContext } from '#endpoint/job-context.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { isGitError } from '#git/errors.ts';
import { patchedFiles } from '#git/history/apply-patch.ts';
import { commitChanges } from '#git/history/commit-changes.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { findRef } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { enqueue, job } from '#jobs/job.ts';
import { gather } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { Refusal } from '#lib/refusal.ts';
import { moveOrRefuse } from '#resources/code/git-data/index.ts';
import {
  changeIssue,
  commentOnIssue,
  findAssignable,
  findIssueForUpdate,
  type TextAction,
} from '#resources/collaboration/issues/index.ts';
import { changePull, findPullForUpdate, openPull, prepareEnds, writeHeadRef } from '#resources/collaboration/pulls/index.ts';
import { insertLabel } from '#resources/repositories/labels/index.ts';
import { identityOf, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { listMendedAdvisories } from '#resources/security/dependency-alerts/index.ts';
import { mayChange, type UpdateResponse } from '#resources/security/dependency-bot/index.ts';
import { mentionOf } from './bot.ts';
import { alertEcosystemOf, isIgnored } from './ignores.ts';
import { updateLimits } from './limits.ts';
import { loadOwnPull } from './own-pulls.ts';
import { queueOf } from './queue.ts';
import { digestOf } from './start.ts';
import {
  findProposal,
  insertProposal,
  isFor,
  listIgnores,
  listOpenProposals,
  type ProposalRow,
  type UpdateRow,
  updateProposal,
} from './store.ts';
import { bodyOf, branchName, closingTexts, isSameUpdate, messageOf, type Proposed, titleOf, usualLabels } from './texts.ts';

type Found = UpdateResponse['results'][number];

/** The bot in the repository of a search. */
type Proposing = {
  readonly repository: RepositoryWithOwner;
  readonly action: TextAction;
  readonly update: UpdateRow;
};

/** Proposes an update by a pull request. @returns why it can't; undefined if it did, or there already is one */
export async function propose(
  context: JobContext,
  proposing: Proposing,
  found: Found,
  subject: string,
): Promise<string | undefined> {
  const { scope } = context;
  const { update, action } = proposing;
  const proposed: Proposed = { group: found.group, dependencies: found.dependencies };
  if (JSON.stringify(proposed.dependencies).length > maxDependencies) return 'it has too many dependencies for one pull request';
  const open = await listOpenProposals(scope.db, update.repository_id);
  const before = open.find((row) => isFor(row, update) && row.subject === subject);
  const isSame = before !== undefined && isSameUpdate(proposed.dependencies, before.dependencies);
  if (isSame && update.recreates_id !== before.issue_id) return undefined;
  const ignores = await listIgnores(scope.db, update.repository_id, update.ecosystem);
  const ignored = proposed.dependencies.find((one) => isIgnored(ignores, one));
  if (ignored) return `${ignored.name} ${ignored.to} is ignored`;
  const gitRepository = repoOf(scope.git, update.repository_id);
  const patched = await patchedFiles(gitRepository, {
    commit: update.base_sha,
    patch: found.patch,
    mayChange: (path) => mayChange(update.ecosystem, update.directory, path),
  });
  if ('problem' in patched) return patched.problem;
  const title = titleOf(update, proposed, update.options);
  const person = identityOf(action.by.account, scope.links, scope.now);
  const written = await commitChanges(gitRepository, {
    parents: [update.base_sha],
    changes: patched.changes,
    message: messageOf(title, proposed),
    author: person,
    committer: person,
  }).catch((error: unknown) => {
    if (isGitError(error, 'invalid') || isGitError(error, 'not-found')) return undefined;
    throw error;
  });
  if (!written) return 'The patch makes no valid tree';
  const { commit } = written;
  const paths = gather(patched.changes, 'path');
  const taken = new Set(gather(open, 'branch'));
  const branch = isSame ? before.branch : newBranch(proposing, proposed, taken);
  try {
    await pushBranch(context, proposing, { branch, commit, before: isSame ? before : undefined });
    if (isSame) await scope.change(({ tx }) => updateProposal(tx, before.issue_id, { head_sha: commit, paths }));
    else await openProposal(context, proposing, { proposed, title, branch, commit, paths, subject, before });
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}

const maxDependencies = fixedValue(updateLimits.pullDependencies);

/** A name for a branch. One that another open pull request has gets a suffix. */
function newBranch({ repository, update }: Proposing, proposed: Proposed, taken: ReadonlySet<string>): string {
  const digest = digestOf([update.ecosystem, update.directory, update.target_branch, proposed]);
  const name = branchName(update, proposed, {
    isDefault: update.target_branch === repository.default_branch,
    separator: update.options.branchSeparator,
    digest,
  });
  return taken.has(name) ? `${name}-${digest.slice(0, 10)}` : name;
}

/** Points a branch of the bot to a commit. A branch to which somebody else has pushed stays as it is. */
async function pushBranch(
  { scope }: JobContext,
  { action, update }: Proposing,
  { branch, commit, before }: { branch: string; commit: Oid; before: ProposalRow | undefined },
): Promise<void> {
  const gitRepository = repoOf(scope.git, action.repo.id);
  const ref = branchRef(branch);
  const tip = (await findRef(gitRepository, ref))?.oid;
  if (tip === commit) return;
  const isKnown = tip === undefined || tip === before?.head_sha || tip === update.overwrites_sha;
  if (!isKnown && !(await isOfBot(scope, action, tip))) throw new Refusal('conflict', `Somebody else has pushed to ${branch}`);
  await moveOrRefuse(scope, { repo: action.repo, by: action.by }, [{ ref, from: tip ?? null, to: commit }]);
}

/** Whether the bot made a commit, for example before the process ended. */
async function isOfBot({ git, links, now }: JobContext['scope'], { repo, by }: TextAction, oid: Oid): Promise<boolean> {
  await using reader = await openObjects(repoOf(git, repo.id));
  const commit = (await reader.findCommits([oid])).get(oid);
  return commit?.committer.email === identityOf(by.account, links, now).email;
}

type NewProposal = {
  readonly proposed: Proposed;
  readonly title: string;
  readonly branch: string;
  readonly commit: Oid;
  readonly paths: readonly string[];
  readonly subject: string;
  /** The open pull request for other versions of the same. */
  readonly before: ProposalRow | undefined;
};

async function openProposal(
  { scope }: JobContext,
  { action, update }: Proposing,
  { proposed, title, branch, commit, paths, subject, before }: NewProposal,
): Promise<void> {
  const { options } = update;
  const advisories =
    update.kind === 'security'
      ? await listMendedAdvisories(scope.db, update.repository_id, {
          ecosystem: alertEcosystemOf(update.ecosystem),
          packages: gather(proposed.dependencies, 'name'),
        })
      : [];
  const wanted = {
    title,
    body: bodyOf(update, proposed, { advisories, mention: mentionOf(action), rebases: options.rebases !== false }),
    head: branch,
    base: update.target_branch,
    draft: false,
    maintainer_can_modify: false,
  };
  const ends = await prepareEnds(scope, action, wanted);
  const usual = options.labels === undefined ? usualLabels(update.ecosystem) : [];
  await scope.change(async (scope) => {
    for (const label of usual) await insertLabel(scope.tx, { repository_id: update.repository_id, ...label });
    if (before) await updateProposal(scope.tx, before.issue_id, { is_open: false });
    const pull = await openPull(scope, action, ends, wanted);
    await insertProposal(scope.tx, {
      issue_id: pull.id,
      repository_id: update.repository_id,
      ecosystem: update.ecosystem,
      directory: update.directory,
      kind: update.kind,
      group_name: proposed.group ?? null,
      dependencies: proposed.dependencies,
      subject,
      head_sha: commit,
      paths: [...paths],
      options,
      is_open: true,
    });
    if (before) await closePull(scope, action, before.issue_id, closingTexts.superseded(pull.number));
    await enqueue(
      scope.tx,
      completePull,
      { issue: pull.id, superseded: before?.issue_id },
      { queue: queueOf(update.repository_id) },
    );
  });
}

type Opened = { readonly issue: ProposalRow['issue_id']; readonly superseded?: ProposalRow['issue_id'] | undefined };

/** Does what a new pull request needs beside its rows: its ref, its labels, and the end of the branch of the one before it. */
export const completePull = job<Opened, JobContext>({
  name: 'dependency-updates.complete-pull',
  attempts: 10,
  async run({ issue, superseded }, context) {
    const own = await loadOwnPull(context, issue);
    if (!own) return;
    const { row, pull, action } = own;
    await writeHeadRef(repoOf(context.scope.git, row.repository_id), pull);
    const labels = row.options.labels ?? gather(usualLabels(row.ecosystem), 'name');
    await setDetails(context, action, pull, { ...row.options, labels });
    if (superseded !== undefined) await removeBranch(context, action, superseded);
  },
});

/** Labels, assignees and a milestone. What doesn't exist is left out, since a configuration file may be old. */
async function setDetails(
  { scope }: Pick<JobContext, 'scope'>,
  action: TextAction,
  pull: { readonly id: ProposalRow['issue_id'] },
  { labels, assignees, milestone }: UpdateRow['options'],
): Promise<void> {
  const change = (wanted: Parameters<typeof changeIssue>[3]) =>
    scope.change(async (scope) => {
      const issue = await findIssueForUpdate(scope.tx, pull);
      if (issue) await changeIssue(scope, action, issue, wanted);
    });
  const users = gather(await findAssignable(scope.db, action.repo, assignees ?? []), 'login');
  for (const wanted of [
    labels && labels.length > 0 ? { labels: [...labels] } : undefined,
    users.length > 0 ? { assignees: users } : undefined,
    milestone === undefined ? undefined : { milestone },
  ])
    if (wanted)
      await change(wanted).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
      });
}

/**
 * Closes a pull request of the bot with a comment, and deletes its branch, unless somebody else has pushed to it. `keepsBranch`:
 * the branch stays, so that people can reopen the pull request.
 */
export async function closeProposal(
  { scope }: Pick<JobContext, 'scope'>,
  action: TextAction,
  { issue_id }: Pick<ProposalRow, 'issue_id'>,
  comment: string,
  { keepsBranch = false }: { readonly keepsBranch?: boolean } = {},
): Promise<void> {
  await scope.change(async (scope) => {
    await updateProposal(scope.tx, issue_id, { is_open: false });
    await closePull(scope, action, issue_id, comment);
  });
  if (!keepsBranch) await removeBranch({ scope }, action, issue_id);
}

async function closePull(scope: WriteScope, action: TextAction, issue: ProposalRow['issue_id'], comment: string): Promise<void> {
  const pull = await findPullForUpdate(scope.tx, { id: issue });
  if (!pull || pull.state === 'closed') return;
  await commentOnIssue(scope, action, pull, comment);
  await changePull(scope, action, pull, { state: 'closed' }, undefined);
}

/** Deletes the branch of a pull request that is closed, if the bot's commit is its last. */
export async function removeBranch(
  { scope }: Pick<JobContext, 'scope'>,
  action: TextAction,
  issue: ProposalRow['issue_id'],
): Promise<void> {
  const row = await findProposal(scope.db, issue);
  if (!row) return;
  const ref = branchRef(row.branch);
  const tip = (await findRef(repoOf(scope.git, row.repository_id), ref))?.oid;
  if (tip !== row.head_sha) return;
  await moveOrRefuse(scope, { repo: action.repo, by: action.by }, [{ ref, from: tip, to: null }]).catch((error: unknown) => {
    // A rule may keep it, or somebody has moved it meanwhile.
    if (!(error instanceof Refusal)) throw error;
  });
}
