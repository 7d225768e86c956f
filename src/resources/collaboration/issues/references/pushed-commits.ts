// What the messages of pushed commits refer to: issues get events, and are closed where a closing keyword stands before them. An
// event names the commits that mention people.

import type { RepositoryRow, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { linksOf } from '#endpoint/links.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { Services } from '#endpoint/services.ts';
import { record, recordEach } from '#events/record.ts';
import type { RefMove } from '#events/ref-moves.ts';
import { batchSubscription, type Recorded } from '#events/subscription.ts';
import { listNewCommits } from '#git/history/history.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import { branchRef } from '#git/refs/ref-name.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { gather, getOptional, unique } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { periodicYield } from '#lib/turns.ts';
import { findAccountById } from '#resources/identity/accounts/index.ts';
import { addOpenIssues, findRepository, namedRepositories } from '#resources/repositories/repositories/index.ts';
import { readCommitMessage } from '#text/read.ts';
import { issueLimits } from '../limits.ts';
import { limitedReferences } from './references.ts';
import { closeIssues, findTargets, insertCommitEvents, insertCommitReferences } from './store.ts';

const maxCommits = fixedValue(issueLimits.pushedCommits);
const maxReferences = fixedValue(issueLimits.pushedReferences);
/** Messages are read up to this many characters in all. */
const maxMessages = 4 * 1024 * 1024;

/**
 * Reads the messages of the commits that a push brought to the default branch. A commit counts once, whatever branch or push
 * brings it again. The refs that a repository was created with, and the commits that a fork takes over from its source, don't
 * count: the numbers in them mean the issues of where they came from.
 */
export const readPushedCommits = batchSubscription<'push', JobContext>({
  name: 'issues.read-commits',
  on: ['push'],
  attempts: 25,
  async runAll(events, context) {
    const pushes = events.filter(({ data }) => !data.initial);
    const rows = await context.scope.load.all(namedRepositories, unique(gather(pushes, 'repository')));
    for (const event of pushes) {
      const row = getOptional(rows, event.repository);
      const move = event.data.moves.find(({ ref }) => row && ref === branchRef(row.default_branch));
      if (row && move) await readPush(context, event, { row, move });
    }
  },
});

async function readPush(
  { db, change, services }: JobContext,
  event: Recorded<'push'>,
  { row, move }: { row: RepositoryRow; move: RefMove },
): Promise<void> {
  const commits = await findNewCommits(db, services, row, move);
  const html = services.url === undefined ? undefined : linksOf(services.url).html;
  const texts = await textsOf(commits, html);
  if (texts.length === 0) return;
  const account = await findAccountById(db, event.actor);
  // The push's credential is unknown by now. It was for this repository, so of others only public issues are referred to.
  const writer: Viewer = { ...(account ? { account } : {}), grant: { kind: 'none' } };
  await change((scope) => recordCommits(scope, event, { row, texts, writer }));
}

async function findNewCommits(
  db: Db,
  { git }: Services,
  { id, source_id, parent_id }: RepositoryRow,
  { before, after }: RefMove,
): Promise<Commit[]> {
  const gitRepository = repoOf(git, id);
  if (after === null || !(await repositoryExists(gitRepository))) return [];
  const commits = await listNewCommits(gitRepository, { from: before, to: after, limit: maxCommits, maxMessages });
  const source = parent_id ?? source_id;
  if (source === null || !(await findRepository(db, source)) || !(await repositoryExists(repoOf(git, source)))) return commits;
  await using reader = await openObjects(repoOf(git, source));
  const known = await reader.findInfos(commits.map(({ oid }) => oid));
  return commits.filter((_, index) => known[index] === undefined);
}

type CommitText = { commit: string; references: ReturnType<typeof limitedReferences> };

/** The commits that refer to something, as far as the limit goes. It yields to the event loop, since messages may be long. */
async function textsOf(commits: readonly Commit[], html: string | undefined): Promise<CommitText[]> {
  const yieldNow = periodicYield();
  const texts: CommitText[] = [];
  let total = 0;
  for (const { oid, message } of commits) {
    const references = limitedReferences(readCommitMessage(message, html === undefined ? {} : { html }));
    const { mentions, teamMentions, issues } = references;
    const count = mentions.length + teamMentions.length + issues.length;
    total += count;
    if (total > maxReferences) break;
    if (count > 0) texts.push({ commit: oid, references });
    await yieldNow();
  }
  return texts;
}

type PushedTexts = { row: RepositoryRow; texts: readonly CommitText[]; writer: Viewer };

/** Keeps the references that are new, and records what they cause. Only issues of the repository itself are closed. */
async function recordCommits(scope: WriteScope, event: Recorded<'push'>, { row, texts, writer }: PushedTexts): Promise<void> {
  const { actor, at, owner } = event;
  const references = texts.map((text) => text.references);
  const targets = await findTargets(scope.tx, { repository: row.id, writer, references });
  const found = targets.flatMap(({ text, ...target }) => {
    const commit = texts[text]?.commit;
    return commit === undefined ? [] : [{ ...target, commit_sha: commit }];
  });
  const added = await insertCommitReferences(scope.tx, row.id, found, at);
  const order = new Map(texts.map(({ commit }, index) => [commit, index]));
  const issues = added
    .flatMap(({ target_issue_id: issue, commit_sha: commit, closes }) => (issue === null ? [] : [{ issue, commit, closes }]))
    .sort((a, b) => (order.get(a.commit) ?? 0) - (order.get(b.commit) ?? 0));
  // Of several commits that close an issue, the first does.
  const closing = new Map(issues.flatMap(({ issue, commit, closes }) => (closes ? [[issue, commit] as const] : [])).reverse());
  const closed = new Set(await closeIssues(scope.tx, [...closing.keys()], { repository: row.id, actor, at }));
  await insertCommitEvents(scope.tx, {
    repository: row.id,
    actor,
    at,
    events: issues.flatMap(({ issue, commit }) => [
      { event: 'referenced' as const, issue, commit },
      ...(closed.has(issue) && closing.get(issue) === commit ? [{ event: 'closed' as const, issue, commit }] : []),
    ]),
  });
  if (closed.size > 0) addOpenIssues(scope.tx, row.id, -closed.size);
  await recordEach(scope.tx, [...closed], (issue) => ({
    kind: 'issue.closed',
    owner,
    repository: row.id,
    actor,
    at,
    data: { issue },
  }));
  const mentioning = new Set(
    added.flatMap(({ kind, commit_sha }) => (kind === 'mention' || kind === 'team' ? [commit_sha] : [])),
  );
  if (mentioning.size === 0) return;
  const commits = [...order.keys()].filter((commit) => mentioning.has(commit));
  await record(scope.tx, { kind: 'push.mentioned', owner, repository: row.id, actor, at, data: { commits } });
}
