// Notifications about comments on commits.
import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { unique } from '#lib/collections.ts';
import { findComment } from '#resources/collaboration/commit-comments/index.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { notify } from './notify.ts';
import { findCommits, loadAuthors, subjectOf } from './pushed-commits.ts';
import { putSubject } from './subject-store.ts';
import { addParticipants } from './subscription-store.ts';

/**
 * Notifies people about a comment on a commit: the author of the commit, earlier commenters, mentioned people, and watchers of
 * the repository. For an edited comment, only newly mentioned people are notified.
 */
export const notifyOfCommitComments = subscription<'commit_comment.created' | 'commit_comment.edited', JobContext>({
  name: 'notifications.commit-comments',
  on: ['commit_comment.created', 'commit_comment.edited'],
  attempts: 25,
  // Events are handled in order, since earlier ones decide who participates.
  queue: ({ repository }) => `notifications.commit-comments.${repository}`,
  async run({ id, kind, repository, actor, at, data }, context) {
    const { db, change, services } = context;
    const repo = repository === undefined ? undefined : await findRepository(db, repository);
    const comment = repo && (await findComment(db, data.comment));
    const [commit] = comment ? await findCommits(services, repo, [comment.commit_sha]) : [];
    if (!repo || !comment || !commit) return;
    const isNew = kind === 'commit_comment.created';
    const author = (await loadAuthors(context, [commit])).get(commit.author.email.toLowerCase())?.id;
    const subject = await change(async (scope) => {
      const subject = await putSubject(scope.tx, repo.id, subjectOf(commit));
      if (subject === undefined || !isNew) return subject;
      if (author !== undefined) await addParticipants(scope.tx, [{ subject, account: author, reason: 'author', at }]);
      if (actor !== undefined && actor !== author)
        await addParticipants(scope.tx, [{ subject, account: actor, reason: 'comment', at }]);
      return subject;
    });
    if (subject === undefined) return;
    const text = { commit: commit.oid, comment: comment.id };
    const activity = { event: id, subject, text, actors: unique([actor]), at };
    await notify(context, { repo, recipients: isNew ? 'everybody' : 'mentioned', activities: [activity] });
  },
});
