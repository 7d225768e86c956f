// Scans of Git's history: some commits at a time.
import type { JobContext } from '#endpoint/job-context.ts';
import { readCommitFiles } from '#git/history/commit-files.ts';
import { countRange, listRange } from '#git/history/unseen-commits.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { listRefNames } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { gather, unique } from '#lib/collections.ts';
import { findSecrets, searchFor } from '../detection/find-secrets.ts';
import { scanCaller } from './caller.ts';
import { recorderOf } from './recorder.ts';
import type { Scanning, ScanProgress, ScanRow } from './store.ts';

type GitRepository = ReturnType<typeof repoOf>;

/** Commits of one run, after which other repositories have their turn. */
const commitsPerRun = 1_000;
/** Files that are held in memory at once. */
const maxFilesInMemory = 2_000;

/** Which commits a scan reads: those that branches and tags reach now, without those that earlier ones reached. */
export async function planCommits(
  gitRepository: GitRepository,
  known: Oid[],
): Promise<Pick<ScanRow, 'targets' | 'known' | 'total'>> {
  const targets = await listTips(gitRepository);
  return { targets, known, total: targets.length === 0 ? 0 : await countRange(gitRepository, { to: targets, without: known }) };
}

const listTips = async (gitRepository: GitRepository): Promise<Oid[]> =>
  unique(
    gather([...(await listRefNames(gitRepository, 'refs/heads/')), ...(await listRefNames(gitRepository, 'refs/tags/'))], 'oid'),
  );

/** Reads some commits of a scan, and records what is found. */
export async function scanCommits(
  context: JobContext,
  { repo, patterns }: Scanning,
  { targets, known, total, done, actor_id }: ScanRow,
): Promise<ScanProgress> {
  const gitRepository = repoOf(context.services.git, repo.id);
  const search = searchFor(repo, patterns, scanCaller);
  const commits = await listRange(gitRepository, { to: targets, without: known }, { total, offset: done, limit: commitsPerRun });
  await using reader = await openObjects(gitRepository, { isBulk: true });
  const recorder = recorderOf(context, { repo, actor: actor_id ?? undefined });
  for await (const files of inBatches(readCommitFiles(gitRepository, commits), maxFilesInMemory))
    for await (const one of findSecrets(reader, search, files)) await recorder.add(one);
  await recorder.flush();
  const read = commits.length === 0 ? total : done + commits.length;
  return { isDone: read >= total, progress: { done: read } };
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
