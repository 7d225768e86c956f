import type { Services } from '#endpoint/services.ts';
import { batchSubscription } from '#events/subscription.ts';
import { job } from '#jobs/job.ts';
import { gather, unique } from '#lib/collections.ts';
import { patternsVersion } from './patterns.ts';
import { enqueueScan } from './scan.ts';
import { listOutdated, listScanned, removeScans } from './scan-store.ts';

/** Scans what was pushed or imported, and the whole history where scanning was turned on. */
export const scanChanged = batchSubscription<'push' | 'repository.imported' | 'repository.security_changed', Services>({
  name: 'secret-scanning.follow',
  on: ['push', 'repository.imported', 'repository.security_changed'],
  attempts: 25,
  async runAll(events, { db, change }) {
    const scanned = new Set(await listScanned(db, unique(gather(events, 'repository'))));
    await change(async (tx) => {
      const last = new Map(events.map((event) => [event.repository, event]));
      for (const [repository, { actor }] of last) {
        if (repository === undefined) continue;
        if (scanned.has(repository)) await enqueueScan(tx, { repository, actor });
      }
      for (const event of events)
        if (event.kind === 'repository.security_changed' && event.repository !== undefined && !scanned.has(event.repository))
          await removeScans(tx, event.repository);
    });
  },
});

/** After an update of the server, scans repositories for what it has learned to find. */
export const scanForNewPatterns = job<Record<string, never>, Services>({
  name: 'secret-scanning.scan-for-new-patterns',
  attempts: 3,
  schedule: { cron: '17 2 * * *', atStart: true },
  async run(_payload, { db, change }) {
    const outdated = await listOutdated(db, String(patternsVersion));
    await change(async (tx) => {
      for (const repository of outdated) await enqueueScan(tx, { repository, actor: undefined });
    });
  },
});
