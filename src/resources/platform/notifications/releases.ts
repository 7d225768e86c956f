// Notifications about releases.
import type { JobContext } from '#endpoint/job-context.ts';
import { subscription } from '#events/subscription.ts';
import { unique } from '#lib/collections.ts';
import { loadReleases } from '#resources/collaboration/releases/index.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { notify } from './notify.ts';
import { putSubject } from './subject-store.ts';

/**
 * Notifies people about a published release or prerelease: watchers of the repository, and people mentioned in its notes. For
 * edited notes, only newly mentioned people are notified. Drafts cause no notifications.
 */
export const notifyOfReleases = subscription<'release.published' | 'release.edited', JobContext>({
  name: 'notifications.releases',
  on: ['release.published', 'release.edited'],
  attempts: 25,
  async run({ id, kind, repository, actor, at, data }, context) {
    const { db, change } = context;
    if (kind === 'release.edited' && !('body' in data.from)) return;
    const repo = repository === undefined ? undefined : await findRepository(db, repository);
    const release = repo && (await loadReleases(db, [data.release])).get(data.release);
    if (!repo || !release || release.draft) return;
    const subject = await change((scope) => putSubject(scope.tx, repo.id, { kind: 'release', release_id: release.id }));
    if (subject === undefined) return;
    const activity = { event: id, subject, text: { release: release.id }, actors: unique([actor]), at };
    const recipients = kind === 'release.published' ? 'everybody' : 'mentioned';
    await notify(context, { repo, recipients, activities: [activity] });
  },
});
