// What follows from a change of a custom pattern, in the background: alerts that end, and scans for what it finds now.

import type { JobContext } from '#endpoint/job-context.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { recordAll } from '#events/record.ts';
import { job } from '#jobs/job.ts';
import { gather } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import { periodicYield } from '#lib/turns.ts';
import { openSecret } from '../rules.ts';
import { enqueueScans, historyPriority } from '../scans/scan.ts';
import { listAlertsOfPattern, removeAlerts, resolveAlerts } from '../store.ts';
import { wouldFind } from './expressions.ts';
import { findAnyPattern, listScannedOf, type PatternRow, removePattern } from './store.ts';

type Actor = Id<'accounts'> | undefined;
type Alert = Awaited<ReturnType<typeof listAlertsOfPattern>>[number];

/** Alerts of one transaction. */
const alertsPerBatch = 500;

export const followPattern = job<{ pattern: Id<'secret_patterns'>; actor: Actor }, JobContext>({
  name: 'secret-scanning.follow-pattern',
  attempts: 10,
  async run({ pattern, actor }, context) {
    const row = await findAnyPattern(context.db, pattern);
    if (!row) return;
    if (row.removal !== null) return endPattern(context, row, actor);
    if (row.state !== 'published') return;
    await reviseAlerts(context, row, actor);
    await scanFor(context, row, actor);
  },
});

/** Removes or resolves the alerts of a deleted pattern, then the pattern. */
async function endPattern(context: JobContext, row: PatternRow, actor: Actor): Promise<void> {
  await eachBatch(context, row, async (scope, alerts) => {
    if (row.removal === 'delete_alerts') await removeAlerts(scope.tx, gather(alerts, 'id'));
    else await resolve(scope, alerts, { resolution: 'pattern_deleted', actor, now: context.now });
  });
  await context.change((scope) => removePattern(scope.tx, row.id));
}

/** Resolves alerts of secrets that a changed pattern finds no more. */
async function reviseAlerts(context: JobContext, row: PatternRow, actor: Actor): Promise<void> {
  const { secrets } = context.services;
  const isFound = wouldFind(row);
  const yieldNow = periodicYield();
  await eachBatch(context, row, async (scope, alerts) => {
    const lost: Alert[] = [];
    for (const alert of alerts) {
      if (!isFound(openSecret(secrets, alert).toString('latin1'))) lost.push(alert);
      await yieldNow();
    }
    await resolve(scope, lost, { resolution: 'pattern_edited', actor, now: context.now });
  });
}

type Resolving = { resolution: 'pattern_deleted' | 'pattern_edited'; actor: Actor; now: Date };

/** Resolves those of some alerts that are open. */
async function resolve(scope: WriteScope, alerts: readonly Alert[], { resolution, actor, now }: Resolving): Promise<void> {
  const open = alerts.filter(({ state }) => state === 'open');
  if (open.length === 0) return;
  await resolveAlerts(scope.tx, gather(open, 'id'), { resolution, now });
  await recordAll(
    scope.tx,
    open.map(({ id, owner_id, repository_id }) => ({
      kind: 'secret_scanning_alert.resolved' as const,
      owner: owner_id,
      repository: repository_id,
      actor,
      at: now,
      data: { alert: id },
    })),
  );
}

async function eachBatch(
  { change }: JobContext,
  { id }: PatternRow,
  work: (scope: WriteScope, alerts: readonly Alert[]) => Promise<void>,
): Promise<void> {
  for (let after: Id<'secret_alerts'> | undefined = asId<'secret_alerts'>(0); after !== undefined; ) {
    const from: Id<'secret_alerts'> = after;
    after = await change(async (scope) => {
      const alerts = await listAlertsOfPattern(scope.tx, id, { after: from, limit: alertsPerBatch });
      if (alerts.length > 0) await work(scope, alerts);
      return alerts.length < alertsPerBatch ? undefined : alerts.at(-1)?.id;
    });
  }
}

/** Enqueues a scan of each repository for which a pattern holds. */
async function scanFor({ db, change }: JobContext, row: PatternRow, actor: Actor): Promise<void> {
  const repositories = row.repository_id === null ? await listScannedOf(db, row.organization_id ?? asId(0)) : [row.repository_id];
  const payloads = repositories.map((repository) => ({ repository, actor }));
  await change((scope) => enqueueScans(scope.tx, payloads, historyPriority));
}
