// Scans of repositories, in the background: what is new since the last one, or the whole history, and after it all texts. Each
// run of the job reads some commits or some texts.

import type { Tx } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { recordAll } from '#events/record.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { enqueueAll, job } from '#jobs/job.ts';
import { gather } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import { listScannedPatterns, type ScannedPattern } from '../custom-patterns/store.ts';
import { nameOfForms, withGeneric } from '../detection/find-secrets.ts';
import { scanSources } from '../present.ts';
import { planCommits, scanCommits } from './scan-commits.ts';
import { scanTexts } from './scan-texts.ts';
import {
  findLastScan,
  findRunningScan,
  insertScan,
  removeEarlierScans,
  removeTextScans,
  type Scanning,
  type ScanRow,
  updateScan,
} from './store.ts';

/** What is scanned, and who caused that: the last who pushed, or who turned scanning on. */
type ScanPayload = { repository: Id<'repositories'>; actor: Id<'accounts'> | undefined };

/** Later than what pushes bring. */
export const historyPriority = 10;

/** All scans share a queue, so that one runs at a time. Scans of pushes come before scans of whole histories. */
export const enqueueScans = (tx: Tx, payloads: readonly ScanPayload[], priority = 0): Promise<void> =>
  enqueueAll(
    tx,
    scanRepository,
    payloads.map((payload) => ({
      payload,
      options: { queue: 'secret-scanning', key: `secret-scanning:${payload.repository}`, priority },
    })),
  );

/** Scans all texts of a repository, since some came without events, as by an import. To repeat it changes nothing. */
export async function scanTextsAnew(tx: Tx, repository: Id<'repositories'>): Promise<void> {
  await removeTextScans(tx, [repository]);
  await enqueueScans(tx, [{ repository, actor: undefined }], historyPriority);
}

export const scanRepository = job<ScanPayload, JobContext>({
  name: 'secret-scanning.scan',
  attempts: 10,
  async run({ repository, actor }, context) {
    const { db, change } = context;
    const repo = await findRepository(db, repository);
    if (!repo?.secret_scanning) return;
    const scanning = { repo, patterns: await listScannedPatterns(db, { repository: repo.id, owner: repo.owner_id }) };
    const scan = (await nextScan(context, scanning, 'git', actor)) ?? (await nextScan(context, scanning, 'texts', actor));
    if (!scan) return;
    const { isDone, progress } = await (scan.source === 'git' ? scanCommits : scanTexts)(context, scanning, scan);
    await change(async (scope) => {
      await updateScan(scope.tx, scan.id, { ...progress, completed_at: isDone ? context.now : null });
      if (isDone) await endScan(scope, repo, scan, context.now);
      // What is left of it, pushes that came during a long scan, and texts after the history.
      if (!isDone || scan.done > 0 || scan.type !== 'incremental')
        await enqueueScans(scope.tx, [{ repository, actor }], historyPriority);
    });
  },
});

/** Tells of a scan that ended, unless it was one of what is new, and forgets those before it. */
async function endScan(scope: WriteScope, repo: Scanning['repo'], scan: ScanRow, now: Date): Promise<void> {
  await removeEarlierScans(scope.tx, scan);
  const { type, source } = scan;
  if (type === 'incremental') return;
  await recordAll(
    scope.tx,
    Object.values(scanSources[source]).map((word) => ({
      kind: 'secret_scanning_scan.completed' as const,
      owner: repo.owner_id,
      repository: repo.id,
      actor: scan.actor_id ?? undefined,
      at: now,
      data: {
        type,
        source: word,
        started_at: scan.started_at.toISOString(),
        completed_at: now.toISOString(),
        pattern: scan.pattern_name,
        scope: scan.pattern_scope,
      },
    })),
  );
}

/** The scan of a source that runs, or a new one where something is to be scanned. */
async function nextScan(
  context: JobContext,
  { repo, patterns: custom }: Scanning,
  source: ScanRow['source'],
  actor: Id<'accounts'> | undefined,
): Promise<ScanRow | undefined> {
  const { db, change, services, now } = context;
  const gitRepository = repoOf(services.git, repo.id);
  if (source === 'git' && !(await repositoryExists(gitRepository))) return undefined;
  const running = await findRunningScan(db, repo.id, source);
  if (running) return running;
  const last = await findLastScan(db, repo.id, source);
  const patterns = nameOfForms(repo);
  // Fewer patterns than before need no other scan.
  const hasKnownForms = last !== undefined && [patterns, withGeneric(patterns)].includes(last.patterns);
  const unknown = custom.filter(({ version }) => !last?.custom_patterns.includes(version));
  const isKnown = hasKnownForms && unknown.length === 0;
  // New texts are scanned by themselves.
  if (isKnown && source === 'texts') return undefined;
  const commits = source === 'git' ? await planCommits(gitRepository, isKnown ? last.targets : []) : noCommits;
  if (isKnown && commits.total === 0) return undefined;
  const type = last === undefined ? 'backfill' : isKnown ? 'incremental' : hasKnownForms ? 'custom_pattern' : 'pattern_update';
  return change((scope) =>
    insertScan(scope.tx, {
      repository_id: repo.id,
      source,
      type,
      patterns,
      custom_patterns: gather(custom, 'version'),
      ...(type === 'custom_pattern' ? causeOf(unknown) : {}),
      ...commits,
      actor_id: actor ?? null,
      started_at: now,
    }),
  );
}

const noCommits = { targets: [], known: [], total: 0 };

/** The pattern that a scan is for: the last one that was changed. */
function causeOf(patterns: readonly ScannedPattern[]) {
  const last = patterns.reduce<ScannedPattern | undefined>(
    (one, other) => (one && one.version > other.version ? one : other),
    undefined,
  );
  return (
    last && {
      pattern_name: last.name,
      pattern_scope: last.organization_id === null ? ('repository' as const) : ('organization' as const),
    }
  );
}
