// Mentions in the messages of pushed commits. The family issues reads the messages and stores the references.

import type { RepositoryRow } from '#access/viewer.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import type { Services } from '#endpoint/services.ts';
import { subscription } from '#events/subscription.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { getOrThrow, keyed, unique } from '#lib/collections.ts';
import { loadAccountsByEmail } from '#resources/identity/accounts/index.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { notificationLimits } from './limits.ts';
import { notify } from './notify.ts';
import { putSubjects, type Subject } from './subject-store.ts';

/** Notifies the people whom the commits of a push mention for the first time, except the pusher and the author of the commit. */
export const notifyMentionedInCommits = subscription<'push.mentioned', JobContext>({
  name: 'notifications.pushed-commits',
  on: ['push.mentioned'],
  attempts: 25,
  async run({ id, repository, actor, at, data }, context) {
    const { db, change, services } = context;
    const repo = repository === undefined ? undefined : await findRepository(db, repository);
    if (!repo) return;
    const commits = await findCommits(
      services,
      repo,
      data.commits.slice(-services.resourceLimits.of(notificationLimits).pushedCommits),
    );
    const authors = await loadAuthors(context, commits);
    const subjects = keyed(
      await change((scope) => putSubjects(scope.tx, repo.id, commits.map(subjectOf))),
      (row) => row.commit_sha,
    );
    for (const { oid, author } of commits) {
      const subject = getOrThrow(subjects, oid).id;
      const actors = unique([actor, authors.get(author.email.toLowerCase())?.id]);
      const activity = { event: id, subject, text: { commit: oid }, actors, at };
      await notify(context, { repo, recipients: 'mentioned', activities: [activity] });
    }
  },
});

/** The given commits that still exist, in order. */
export async function findCommits({ git }: Services, { id }: RepositoryRow, oids: readonly string[]): Promise<Commit[]> {
  const gitRepository = repoOf(git, id);
  if (!(await repositoryExists(gitRepository))) return [];
  await using reader = await openObjects(gitRepository);
  const found = await reader.findCommits(oids);
  return oids.flatMap((oid) => found.get(oid) ?? []);
}

/** The accounts of the authors, by their e-mail addresses. If the server's address isn't set, noreply addresses match nobody. */
export const loadAuthors = ({ db, services: { url } }: JobContext, commits: readonly Commit[]) =>
  loadAccountsByEmail(
    db,
    commits.map(({ author }) => author.email),
    url === undefined ? '' : new URL(url).hostname,
  );

const maxTitle = 256;

/** A commit, with the start of its message's first line as title. */
export function subjectOf({ oid, message }: Commit): Subject {
  const line = message.trimStart().split('\n', 1)[0] ?? '';
  return { kind: 'commit', commit_sha: oid, title: line.slice(0, maxTitle).trimEnd().replaceAll('\0', ' ').toWellFormed() };
}
