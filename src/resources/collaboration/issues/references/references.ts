// What the texts of issues and comments refer to: people, teams, issues and commits, kept as rows, and the issue events of new
// ones.

import type { RepositoryAction } from '#access/action.ts';
import { callerOf } from '#access/rate-limits.ts';
import type { Tx } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { gather, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { fixedValue } from '#lib/limits.ts';
import { findIndexedCommits } from '#search/index.ts';
import type { TextReferences } from '#text/read.ts';
import { mayRefer } from '#text/references.ts';
import { requireReferences } from '#text/text-references.ts';
import { issueLimits } from '../limits.ts';
import { viaApp } from '../timeline/activity.ts';
import { findTargets, insertReferenceEvents, replaceReferences, type Target } from './store.ts';

/**
 * A change that writes a text. `html` is the address of this server's pages: addresses below it are references, too. A program's
 * text that `ignoresReferences` mentions nobody, and leaves no trace at the issues that it names.
 */
export type TextAction = RepositoryAction & { html: string; ignoresReferences?: true };

/** A text of an issue, of a comment on it, or of a review of it or a comment of that, before and after a change. */
type ChangedText = {
  issue: Id<'issues'>;
  comment?: Id<'issue_comments'>;
  review?: Id<'reviews'>;
  reviewComment?: Id<'review_comments'>;
  before?: string | null;
  after: string | null;
};

const maxMentions = fixedValue(issueLimits.mentions);
const maxReferences = fixedValue(issueLimits.references);

/** The references of a text that count; those past a limit are plain words. */
export function limitedReferences({ mentions, teamMentions, issues, commits }: TextReferences): TextReferences {
  return {
    mentions: mentions.slice(0, maxMentions),
    teamMentions: teamMentions.slice(0, Math.max(0, maxMentions - mentions.length)),
    issues: issues.slice(0, maxReferences),
    commits: commits.slice(0, maxReferences),
  };
}

/**
 * Keeps the references of a text up to date, in the transaction that writes it, and records the issue events of those that are
 * new. A text without references, which had none before, takes no statement. The caller holds the issue's lock.
 */
export async function recordReferences(
  scope: WriteScope,
  action: TextAction,
  { issue, comment, review, reviewComment, before, after }: ChangedText,
): Promise<void> {
  if (before === after || action.ignoresReferences) return;
  const { repo, by, now } = action;
  const references = referencesIn(after, action);
  if (!references && !mayRefer(before ?? '')) return;
  const targets = references ? await targetsOf(scope.tx, action, references) : [];
  const location = {
    repository_id: repo.id,
    issue_id: issue,
    comment_id: comment ?? null,
    review_id: review ?? null,
    review_comment_id: reviewComment ?? null,
  };
  const others = targets.filter(({ target_issue_id }) => target_issue_id !== issue);
  // What a review says is no word of the pull request's author, so that it closes nothing.
  const isOfReview = review !== undefined || reviewComment !== undefined;
  const counted = isOfReview ? others.map((target) => ({ ...target, closes: false })) : others;
  const added = await replaceReferences(scope.tx, location, counted, now);
  await insertReferenceEvents(scope.tx, {
    repository: repo.id,
    issue,
    actor: by.account.id,
    app: viaApp(by),
    at: now,
    mentioned: unique(gather(added, 'account_id')),
    referred: unique(gather(added, 'target_issue_id')),
  });
}

/** The text of a comment on a commit, or of a published release, before and after a change. */
type ChangedMentions = ({ commit: string; comment: Id<'commit_comments'> } | { release: Id<'releases'> }) & {
  before?: string | null;
  after: string | null;
};

/** Keeps whom such a text mentions up to date, likewise. Issues and commits that it names are links alone. */
export async function recordMentions(
  scope: WriteScope,
  action: TextAction,
  { before, after, ...text }: ChangedMentions,
): Promise<void> {
  if (before === after) return;
  const references = referencesIn(after, action);
  if (!references && !mayRefer(before ?? '')) return;
  const targets = references ? await targetsOf(scope.tx, action, { ...references, issues: [], commits: [] }) : [];
  const location =
    'release' in text ? { release_id: text.release } : { commit_sha: text.commit, commit_comment_id: text.comment };
  await replaceReferences(scope.tx, { repository_id: action.repo.id, ...location }, targets, action.now);
}

/** What a text refers to, or undefined where that is nothing. */
function referencesIn(text: string | null | undefined, { html, by }: TextAction): TextReferences | undefined {
  if (!text) return undefined;
  const references = limitedReferences(requireReferences({ text, html, caller: callerOf(by, '') }));
  return Object.values(references).some(({ length }) => length > 0) ? references : undefined;
}

async function targetsOf(tx: Tx, { repo, by }: RepositoryAction, references: TextReferences): Promise<Target[]> {
  const { mentions, teamMentions, issues, commits } = references;
  const hasNames = mentions.length > 0 || teamMentions.length > 0 || issues.length > 0;
  const named = hasNames ? await findTargets(tx, { repository: repo.id, writer: by, references: [references] }) : [];
  // Commits of other repositories are links alone: nothing happens to them.
  const own = commits.flatMap(({ owner, sha }) => (owner === undefined ? [sha] : []));
  const known = await findIndexedCommits(tx, repo.id, own);
  return [...named.map(({ text: _, ...target }) => target), ...known.map((sha) => commitTarget(sha))];
}

const commitTarget = (target_sha: string): Target => ({
  kind: 'commit',
  account_id: null,
  team_id: null,
  target_issue_id: null,
  target_sha,
  closes: false,
});
