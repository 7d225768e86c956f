// Scans of texts of issues and pull requests: of all that a repository has, some at a time, and of those that were written or
// changed.
import type { JobContext } from '#endpoint/job-context.ts';
import { batchSubscription, type Recorded } from '#events/subscription.ts';
import { getOptional, grouped } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { loadScannedPatterns } from '../custom-patterns/store.ts';
import { findInTexts } from '../detection/find-in-texts.ts';
import { searchFor } from '../detection/find-secrets.ts';
import { scanCaller } from './caller.ts';
import { recorderOf } from './recorder.ts';
import { loadScanned, type Scanning, type ScanProgress, type ScanRow } from './store.ts';
import { firstText, listTextsAfter, loadTexts, rowOf, type TextCursor, type TextRow } from './text-store.ts';

/** Rows whose texts are read at once, and those of one run, after which other repositories have their turn. */
const rowsPerBatch = 100;
const batchesPerRun = 20;

/** Reads some texts of a scan, and records what is found. */
export async function scanTexts(context: JobContext, { repo, patterns }: Scanning, scan: ScanRow): Promise<ScanProgress> {
  const search = searchFor(repo, patterns, scanCaller);
  const recorder = recorderOf(context, { repo, actor: scan.actor_id ?? undefined });
  let next: TextCursor | undefined = cursorOf(scan);
  for (let batch = 0; next && batch < batchesPerRun; batch++) {
    const read: Awaited<ReturnType<typeof listTextsAfter>> = await listTextsAfter(context.db, repo.id, next, rowsPerBatch);
    for await (const one of findInTexts(search, read.texts)) await recorder.add(one);
    next = read.next;
  }
  await recorder.flush();
  const { table = null, at = null, id = null } = next ?? {};
  return { isDone: !next, progress: { next_table: table, next_at: at, next_id: id } };
}

const cursorOf = ({ next_table, next_at, next_id }: ScanRow): TextCursor =>
  next_table === null || next_at === null || next_id === null ? firstText : { table: next_table, at: next_at, id: next_id };

const kinds = [
  'issue.opened',
  'issue.edited',
  'issue_comment.created',
  'issue_comment.edited',
  'pull_request.opened',
  'pull_request.edited',
  'pull_request_review.submitted',
  'pull_request_review.edited',
  'pull_request_review_comment.created',
  'pull_request_review_comment.edited',
] as const;
type Written = Recorded<(typeof kinds)[number]>;

/**
 * Scans texts that were written or changed. Text that is taken away stays a place of its alert: whoever read it knows the secret.
 */
export const scanWritten = batchSubscription<(typeof kinds)[number], JobContext>({
  name: 'secret-scanning.texts',
  on: kinds,
  attempts: 25,
  async runAll(events, context) {
    const { db, scope } = context;
    const repositories = await loadScanned(scope, events);
    if (repositories.size === 0) return;
    const written = events.filter(({ repository }) => getOptional(repositories, repository));
    const [patterns, texts] = await Promise.all([
      loadScannedPatterns(
        db,
        [...repositories.values()].map(({ id, owner_id }) => ({ repository: id, owner: owner_id })),
      ),
      loadTexts(db, [...new Map(written.map(writtenRow).map((row) => [keyOf(row), row])).values()]),
    ]);
    // Who wrote a text last, as far as these events tell.
    const actors = new Map(written.map((event) => [keyOf(writtenRow(event)), event.actor]));
    const actorOf = (text: (typeof texts)[number]): Id<'accounts'> | undefined => actors.get(keyOf(rowOf(text)));
    for (const [id, own] of grouped(texts, ({ repository_id }) => repository_id)) {
      const repo = repositories.get(id);
      if (!repo) continue;
      const search = searchFor(repo, patterns.get(id) ?? [], scanCaller);
      for (const [actor, some] of grouped(own, actorOf)) {
        const recorder = recorderOf(context, { repo, actor });
        for await (const one of findInTexts(search, some)) await recorder.add(one);
        await recorder.flush();
      }
    }
  },
});

const keyOf = ({ table, id }: TextRow): string => `${table} ${id}`;

/** The row whose text an event is about. */
function writtenRow({ kind, data }: Written): TextRow {
  switch (kind) {
    case 'issue_comment.created':
    case 'issue_comment.edited':
      return { table: 'issue_comments', id: data.comment };
    case 'pull_request_review.submitted':
    case 'pull_request_review.edited':
      return { table: 'reviews', id: data.review };
    case 'pull_request_review_comment.created':
    case 'pull_request_review_comment.edited':
      return { table: 'review_comments', id: data.comment };
    default:
      return { table: 'issues', id: data.issue };
  }
}
