// An issue or a pull request as its page shows it: the beginning and the end of its timeline, and what stands beside it.
import { type Scope, scopeIn } from '#endpoint/scope.ts';
import { presentRelations } from '#resources/collaboration/issue-relations/index.ts';
import { type IssueRow, preloadConversation, presentIssue, presentTexts } from '#resources/collaboration/issues/index.ts';
import type { RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import type { Conversation, TimelineEntry } from './schemas.ts';
import { idsOf, listEntries, presentEntries } from './timeline.ts';

/** So many entries are on one page. */
const mostShown = 150;

type Written = { body?: string | null };

/**
 * An issue with its timeline, whose texts are HTML; the scope's own media type is JSON. A long timeline shows its beginning and
 * its end; `number` is one of its pages instead.
 */
export async function presentConversation(
  scope: Scope,
  repo: RepositoryWithOwner,
  row: IssueRow,
  number: number | undefined,
): Promise<Conversation> {
  // Texts are presented together, so that what they name is loaded once for all of them.
  const { entries, total, omitted } = await listShown(scope, row, number);
  const events = idsOf(entries, 'event_id');
  await preloadConversation(scope, row, { events, comments: idsOf(entries, 'comment_id') });
  const [issue, presented, related] = await Promise.all([
    presentIssue(scope, row),
    presentEntries(scope, row, entries, { withoutSources: true }),
    presentRelations(scope, row, events),
  ]);
  const written: Written[] = [issue, ...presented.flatMap(textsIn)];
  const repository = { owner: repo.owner.login, repo: repo.name };
  const texts = await presentTexts(
    scopeIn(scope, 'html'),
    written.map(({ body = null }) => ({ text: body, repository })),
  );
  written.forEach((one, at) => {
    delete one.body;
    Object.assign(one, texts[at]);
  });
  return { issue, entries: presented, total, omitted, page_size: mostShown, related };
}

/** The parts of an entry that have texts. */
function textsIn(entry: TimelineEntry): Written[] {
  if (entry.event === 'line-commented' && 'comments' in entry) return entry.comments;
  return entry.event === 'commented' || entry.event === 'reviewed' ? [entry as Written] : [];
}

/** The entries that a page shows. `omitted`: how many there are between its beginning and its end. */
async function listShown(scope: Scope, row: IssueRow, number: number | undefined) {
  const asked = number === undefined ? 1 : number;
  const page = { limit: mostShown, number: asked, offset: (asked - 1) * mostShown };
  const { rows, total = rows.length } = await listEntries(scope, row, [], page);
  if (number !== undefined || total <= mostShown) return { entries: rows, total, omitted: null };
  const half = mostShown / 2;
  const last = await listEntries(scope, row, [], { limit: half, number: 1, offset: total - half, isUncounted: true });
  const first = rows.slice(0, half);
  return { entries: [...first, ...last.rows], total, omitted: { after: half, count: total - 2 * half } };
}
