import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription, type Recorded } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
import { gather, unique } from '#lib/collections.ts';
import { withGeneric } from './detection/find-secrets.ts';
import { patternsVersion } from './detection/patterns.ts';
import { enqueueScans, historyPriority } from './scans/scan.ts';
import { listOutdated, loadScanned, removeScans, removeTextScans } from './scans/store.ts';

const kinds = ['push', 'repository.imported', 'repository.security_changed'] as const;
type Followed = Recorded<(typeof kinds)[number]>;

const turnsOn = ({ kind, data }: Followed): boolean =>
  kind === 'repository.security_changed' && data.changes.includes('secret_scanning') && !data.from.secret_scanning;

/** Scans pushed and imported commits, and the whole history where scanning was turned on. */
export const scanChanged = batchSubscription<(typeof kinds)[number], JobContext>({
  name: 'secret-scanning.follow',
  on: kinds,
  attempts: 25,
  async runAll(events, { change, scope }) {
    const scanned = await loadScanned(scope, events);
    const last = new Map(events.flatMap(({ repository, actor }) => (repository === undefined ? [] : [[repository, actor]])));
    const payloads = [...last].flatMap(([repository, actor]) => (scanned.has(repository) ? [{ repository, actor }] : []));
    // An organization may turn scanning on for a thousand repositories at a time. Pushes to other repositories must not wait for
    // their histories.
    const pushed = new Set(
      gather(
        events.filter(({ kind }) => kind === 'push'),
        'repository',
      ),
    );
    const switched = events.filter(({ kind }) => kind === 'repository.security_changed');
    const forgotten = unique(gather(switched, 'repository')).filter((repository) => !scanned.has(repository));
    // Texts that were written while scanning was off were skipped, and scanning may be on again before this runs. So all texts
    // are scanned again.
    const turnedOn = unique(gather(events.filter(turnsOn), 'repository')).filter((repository) => scanned.has(repository));
    if (payloads.length === 0 && forgotten.length === 0) return;
    await change(async (scope) => {
      if (turnedOn.length > 0) await removeTextScans(scope.tx, turnedOn);
      await enqueueScans(
        scope.tx,
        payloads.filter(({ repository }) => pushed.has(repository)),
      );
      await enqueueScans(
        scope.tx,
        payloads.filter(({ repository }) => !pushed.has(repository)),
        historyPriority,
      );
      if (forgotten.length > 0) await removeScans(scope.tx, forgotten);
    });
  },
});

/** Scans all repositories again when an update of the server has added patterns. */
export const scanForNewPatterns = job<Record<string, never>, JobContext>({
  name: 'secret-scanning.scan-for-new-patterns',
  attempts: 3,
  schedule: { cron: '17 2 * * *', atStart: true },
  async run(_payload, { db, change }: JobContext) {
    const name = String(patternsVersion);
    const outdated = await listOutdated(db, [name, withGeneric(name)]);
    await change((scope) =>
      enqueueScans(
        scope.tx,
        outdated.map((repository) => ({ repository, actor: undefined })),
        historyPriority,
      ),
    );
  },
});
