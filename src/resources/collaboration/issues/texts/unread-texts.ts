// Texts that were written before mentions were stored, or that come from elsewhere: their mentions are read in the background.

import type { Db, Tx } from '#database/connect.ts';
import type { JobContext } from '#endpoint/job-context.ts';
import { enqueue, job } from '#jobs/job.ts';
import { system } from '#lib/caller.ts';
import { gather } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import { nextTurn } from '#lib/turns.ts';
import { readReferences } from '#text/text-references.ts';
import { listCommentsAfter, listIssuesAfter } from '../archive/exports.ts';
import { limitedReferences } from '../references/references.ts';
import { findTargets } from '../references/store.ts';
import {
  findUnreadTexts,
  insertMentions,
  lockBodies,
  putUnreadTexts,
  removeUnreadTexts,
  type UnreadTexts,
  updateUnreadTexts,
} from './unread-texts-store.ts';

const batchSize = 100;

/**
 * Reads the mentions in all texts that weren't read when they were stored. Each batch is committed with how far it went, so that
 * the next run goes on after an interruption. Nobody is notified. Teams, issues and commits aren't kept: what they would cause is
 * over.
 */
export const readUnreadTexts = job<object, JobContext>({
  name: 'issues.read-texts',
  attempts: 1,
  schedule: { cron: '51 * * * *', atStart: true },
  async run(_payload, { db, change }: JobContext) {
    for (let next = await findUnreadTexts(db); next; next = await findUnreadTexts(db)) {
      const [row, batch] = [next, await nextBatch(db, next)];
      await change((scope) => storeBatch(scope.tx, row, batch));
    }
  },
});

/** Has the mentions in all texts of a repository read in the background. */
export async function enqueueReading(tx: Tx, repository: Id<'repositories'>): Promise<void> {
  await putUnreadTexts(tx, repository);
  await enqueue(tx, readUnreadTexts, {}, { key: readUnreadTexts.name });
}

type Text = {
  id: Id<'issues'> | Id<'issue_comments'>;
  issue: Id<'issues'>;
  comment: Id<'issue_comments'> | null;
  body: string;
  at: Date;
  mentions: readonly string[];
};

/** Texts that mention somebody, and how far they reach. Undefined after the last ones. */
type Batch = { table: 'issues' | 'issue_comments'; texts: readonly Text[]; read: Partial<UnreadTexts> } | undefined;

async function nextBatch(db: Db, { repository_id, issue_number, comment_id }: UnreadTexts): Promise<Batch> {
  const issues = await listIssuesAfter(db, repository_id, issue_number, batchSize);
  const lastIssue = issues.at(-1);
  if (lastIssue) {
    const texts = issues.map(({ id, body, created_at }) => ({ id, issue: id, comment: null, body: body ?? '', at: created_at }));
    return { table: 'issues', texts: await withMentions(texts), read: { issue_number: lastIssue.number } };
  }
  const comments = await listCommentsAfter(db, repository_id, asId(comment_id), batchSize);
  const lastComment = comments.at(-1);
  if (!lastComment) return undefined;
  const texts = comments.map(({ id, issue_id, body, created_at }) => ({
    id,
    issue: issue_id,
    comment: id,
    body,
    at: created_at,
  }));
  return { table: 'issue_comments', texts: await withMentions(texts), read: { comment_id: lastComment.id } };
}

async function withMentions(texts: readonly Omit<Text, 'mentions'>[]): Promise<Text[]> {
  const found: Text[] = [];
  for (const text of texts) {
    const { mentions } = limitedReferences(await readReferences({ text: text.body, caller: system }));
    if (mentions.length > 0) found.push({ ...text, mentions });
    await nextTurn();
  }
  return found;
}

async function storeBatch(tx: Tx, next: UnreadTexts, batch: Batch): Promise<void> {
  if (!batch) return void (await removeUnreadTexts(tx, next));
  const { table, texts, read } = batch;
  if (texts.length > 0) {
    // A text that was changed meanwhile was read with its change.
    const present = await lockBodies(tx, table, gather(texts, 'id'));
    const unchanged = texts.filter(({ id, body }) => present.get(id) === body);
    const references = unchanged.map(({ mentions }) => ({ mentions, teamMentions: [], issues: [] }));
    const writer = { grant: { kind: 'none' } } as const;
    const targets = await findTargets(tx, { repository: next.repository_id, writer, references });
    const mentions = targets.flatMap(({ text, account_id: account }) => {
      const { issue, comment, at } = unchanged[text] ?? {};
      return issue && comment !== undefined && at ? [{ issue, comment, account, at }] : [];
    });
    await insertMentions(tx, next.repository_id, mentions);
  }
  await updateUnreadTexts(tx, next, read);
}
