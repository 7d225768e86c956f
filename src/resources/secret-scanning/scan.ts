// Scans of repositories, in the background: what is new since the last one, or the whole history. Each run of the job reads some commits.
import type { Tx } from '#database/connect.ts';
import type { Services } from '#endpoint/services.ts';
import { record } from '#events/record.ts';
import { readCommitFiles } from '#git/history/commit-files.ts';
import { countRange, listRange } from '#git/history/unseen-commits.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { listRefNames } from '#git/refs/refs.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { enqueueAll, type JobContext, job } from '#jobs/job.ts';
import { gather, unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { findRepository } from '#resources/repositories/index.ts';
import { listScannedPatterns, type ScannedPattern } from './custom-store.ts';
import { type FoundSecret, findSecrets, scannerFor, withGeneric } from './find-secrets.ts';
import { recordFound } from './rules.ts';
import { findLastScan, findRunningScan, insertScan, removeEarlierScans, type ScanRow, updateScan } from './scan-store.ts';

type Repository = NonNullable<Awaited<ReturnType<typeof findRepository>>>;
type Context = JobContext<Services>;

/** What is scanned, and who caused that: the last who pushed, or who turned scanning on. */
export type ScanPayload = { repository: Id<'repositories'>; actor: Id<'accounts'> | undefined };

/** Commits of one run, after which other repositories have their turn. */
const commitsAtOnce = 1_000;
/** Files and findings that are held in memory at once. */
const filesAtOnce = 2_000;
const foundAtOnce = 500;

/** Later than what pushes bring. */
export const historyPriority = 10;

/** All scans share a queue, so that one runs at a time; those of pushes come before those of whole histories. */
export const enqueueScans = (tx: Tx, payloads: readonly ScanPayload[], priority = 0): Promise<void> =>
  enqueueAll(
    tx,
    scanRepository,
    payloads.map((payload) => ({
      payload,
      options: { queue: 'secret-scanning', key: `secret-scanning:${payload.repository}`, priority },
    })),
  );

export const scanRepository = job<ScanPayload, Services>({
  name: 'secret-scanning.scan',
  attempts: 10,
  async run({ repository, actor }, context) {
    const { db, change, services } = context;
    const repo = await findRepository(db, repository);
    if (!repo?.secret_scanning || !(await repositoryExists(repoOf(services.git, repo.id)))) return;
    const scan = (await findRunningScan(db, repo.id)) ?? (await beginScan(context, repo, actor));
    if (!scan) return;
    const done = await scanSome(context, repo, scan);
    const isDone = done >= scan.total;
    await change(async (tx) => {
      await updateScan(tx, scan.id, { done, completed_at: isDone ? context.now : null });
      if (isDone) await removeEarlierScans(tx, scan);
      if (isDone && scan.type !== 'incremental')
        await record(tx, {
          kind: 'secret_scanning_scan.completed',
          owner: repo.owner_id,
          repository: repo.id,
          actor: scan.actor_id ?? undefined,
          at: context.now,
          data: {
            type: scan.type,
            started_at: scan.started_at.toISOString(),
            completed_at: context.now.toISOString(),
            pattern: scan.pattern_name,
            scope: scan.pattern_scope,
          },
        });
      // Pushes that came during a long scan are looked at after it.
      if (!isDone || scan.done > 0) await enqueueScans(tx, [{ repository, actor }], historyPriority);
    });
  },
});

/** Plans a scan of the commits that none has read, with the present patterns; undefined where there are none. */
async function beginScan(
  { db, change, services, now }: Context,
  repo: Repository,
  actor: Id<'accounts'> | undefined,
): Promise<ScanRow | undefined> {
  const disk = repoOf(services.git, repo.id);
  const custom = await listScannedPatterns(db, { repository: repo.id, owner: repo.owner_id });
  const patterns = scannerFor(repo, []).name;
  const last = await findLastScan(db, repo.id);
  // Fewer patterns than before need no other scan.
  const hasKnownForms = last !== undefined && [patterns, withGeneric(patterns)].includes(last.patterns);
  const unknown = custom.filter(({ version }) => !last?.custom_patterns.includes(version));
  const isKnown = hasKnownForms && unknown.length === 0;
  const targets = await listTips(disk);
  const known = isKnown ? last.targets : [];
  const total = targets.length === 0 ? 0 : await countRange(disk, { to: targets, without: known });
  if (isKnown && total === 0) return undefined;
  const type = last === undefined ? 'backfill' : isKnown ? 'incremental' : hasKnownForms ? 'custom_pattern' : 'pattern_update';
  return change((tx) =>
    insertScan(tx, {
      repository_id: repo.id,
      type,
      patterns,
      custom_patterns: gather(custom, 'version'),
      ...(type === 'custom_pattern' ? causeOf(unknown) : {}),
      targets,
      known,
      total,
      actor_id: actor ?? null,
      started_at: now,
    }),
  );
}

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

const listTips = async (disk: ReturnType<typeof repoOf>): Promise<Oid[]> =>
  unique(gather([...(await listRefNames(disk, 'refs/heads/')), ...(await listRefNames(disk, 'refs/tags/'))], 'oid'));

/** Reads some commits of a scan, and records what is found. Returns how many of all were read. */
async function scanSome({ db, change, services, now }: Context, repo: Repository, scan: ScanRow): Promise<number> {
  const disk = repoOf(services.git, repo.id);
  const { scanner } = scannerFor(repo, await listScannedPatterns(db, { repository: repo.id, owner: repo.owner_id }));
  const { targets, known, total, done } = scan;
  const commits = await listRange(disk, { to: targets, without: known }, { total, offset: done, limit: commitsAtOnce });
  await using reader = await openObjects(disk, { isBulk: true });
  const recording = { repo, actor: scan.actor_id ?? undefined, secrets: services.secrets, now };
  let found: FoundSecret[] = [];
  const flush = async () => {
    const some = found;
    found = [];
    if (some.length > 0) await change((tx) => recordFound(tx, recording, some));
  };
  for await (const files of inBatches(readCommitFiles(disk, commits), filesAtOnce))
    for await (const one of findSecrets(reader, scanner, files)) {
      found.push(one);
      if (found.length >= foundAtOnce) await flush();
    }
  await flush();
  return commits.length === 0 ? total : done + commits.length;
}

/** Gathers small batches into larger ones. */
async function* inBatches<Item>(batches: AsyncIterable<Item[]>, size: number): AsyncGenerator<Item[]> {
  let pending: Item[] = [];
  for await (const batch of batches) {
    for (const item of batch) pending.push(item);
    if (pending.length < size) continue;
    yield pending;
    pending = [];
  }
  if (pending.length > 0) yield pending;
}
