// What the parts of an import share: they insert the objects of one kind after the other, page by page.
import type { WriteScope } from '#endpoint/scope.ts';
import { keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import type { ObjectStore } from '#objects/store.ts';
import type { TeamRow } from '#resources/identity/teams/index.ts';
import type { Address, IssueRecord, KindWithObjects, RecordOf } from '../archive/format.ts';
import { type Accounts, idOf } from './accounts.ts';
import { countPages, objectsOf, type Pages } from './pages.ts';
import type { Imported } from './repositories.ts';
import type { OnProgress } from './unpack.ts';

export type Context = {
  scope: WriteScope;
  pages: Pages;
  objects: ObjectStore;
  accounts: Accounts;
  repositories: ReadonlyMap<Address, Imported>;
  teams: ReadonlyMap<Address, TeamRow>;
  onProgress: OnProgress;
};

/** An issue or a pull request that was imported. One whose commits aren't in the archive comes as an issue. */
export type ImportedIssue = { id: Id<'issues'>; repository: Id<'repositories'>; isPull: boolean };
export type Issues = ReadonlyMap<Address, ImportedIssue>;

/** What is shown while the objects of a kind are inserted. */
const phases = {
  milestones: 'Milestones',
  issues: 'Issues',
  pull_requests: 'Pull requests',
  issue_comments: 'Comments',
  pull_request_reviews: 'Reviews',
  review_comments: 'Comments of reviews',
  issue_events: 'Events',
  commit_comments: 'Comments on commits',
  releases: 'Releases',
  protected_branches: 'Protected branches',
  rulesets: 'Rulesets',
} as const satisfies Partial<Record<KindWithObjects, string>>;

/** Hands on the objects of a kind, page by page. `phase` names the work where that isn't to insert them. */
export async function eachPage<K extends keyof typeof phases>(
  { pages, onProgress }: Pick<Context, 'pages' | 'onProgress'>,
  kind: K,
  insert: (page: RecordOf<K>[]) => Promise<void>,
  phase: string = phases[kind],
): Promise<void> {
  const total = countPages(pages, kind);
  let done = 0;
  for await (const page of objectsOf(pages, kind)) {
    if (page.length > 0) await insert(page);
    onProgress(phase, ++done, total);
  }
}

export const timeOf = (text: string): Date => new Date(text);
export const timeOrNull = (text: string | null): Date | null => (text === null ? null : new Date(text));

/** The reactions of people who have an account here, each of theirs once. */
export function given(accounts: Accounts, reactions: IssueRecord['reactions']) {
  const rows = reactions.flatMap(({ user, content, created_at }) => {
    const id = idOf(accounts, user);
    return id === null ? [] : [{ user_id: id, content, created_at: timeOf(created_at) }];
  });
  return [...keyed(rows, ({ user_id, content }) => `${user_id} ${content}`).values()];
}
