// The kinds of subjects that threads are about. A further kind is an entry here, with what names it in `Subject` (subject-store.ts) and in
// a column of `notification_subjects`; who tells people of it calls `putSubject` and `notify`.
import type { Db } from '#database/connect.ts';
import { path } from '#endpoint/links.ts';
import { gather, getOrThrow, grouped } from '#lib/collections.ts';
import { loadPresentIds } from '#resources/commit-comments/index.ts';
import { loadReleases } from '#resources/releases/index.ts';
import type { ThreadRow } from './store.ts';
import { loadIssuesOfThreads, type SubjectRow } from './subject-store.ts';

/** A repository as replies name it. */
type NamedRepository = { readonly url: string; readonly full_name: string };

type ShownSubject = { title: string; url: string; latest_comment_url: string };

/** Presents the subject of a thread. One that may not be shown is undefined, and so is its thread left out. */
type Presenter<Shown = ShownSubject> = (row: ThreadRow, repository: NamedRepository) => Shown | undefined;

type SubjectKind = {
  /** The `type` of the subject in replies. */
  readonly type: string;
  /**
   * Loads what belongs to the subjects of a page, once for all of them. Whether the viewer may read their repositories was asked by the
   * query of the threads; a kind that asks for more asks it here.
   */
  readonly presenter: (db: Db, rows: readonly ThreadRow[]) => Promise<Presenter>;
};

const subjectKinds = {
  issue: {
    type: 'Issue',
    async presenter(db, rows) {
      const issues = await loadIssuesOfThreads(db, rows);
      return ({ id }, repository) => {
        const issue = issues.get(id);
        if (!issue) return undefined;
        const url = path(`${repository.url}/issues`, issue.number);
        const comment = issue.comment === null ? url : path(`${repository.url}/issues/comments`, issue.comment);
        return { title: issue.title, url, latest_comment_url: comment };
      };
    },
  },
  commit: {
    type: 'Commit',
    async presenter(db, rows) {
      const comments = await loadPresentIds(db, gather(rows, 'comment_id'));
      return ({ commit_sha, comment_id, title }, repository) => {
        if (commit_sha === null || title === null) return undefined;
        const url = path(`${repository.url}/commits`, commit_sha);
        const isThere = comment_id !== null && comments.has(comment_id);
        return { title, url, latest_comment_url: isThere ? path(`${repository.url}/comments`, comment_id) : url };
      };
    },
  },
  release: {
    type: 'Release',
    async presenter(db, rows) {
      const releases = await loadReleases(db, gather(rows, 'release_id'));
      return ({ release_id }, repository) => {
        const release = release_id === null ? undefined : releases.get(release_id);
        // One that became a draft again is for those alone who write to the repository.
        if (!release || release.draft) return undefined;
        const url = path(`${repository.url}/releases`, release.id);
        return { title: release.name || release.tag_name, url, latest_comment_url: url };
      };
    },
  },
  invitation: {
    type: 'RepositoryInvitation',
    async presenter() {
      // An invitation that was accepted is gone: its address is that of the repository.
      return (_, { url, full_name }) => ({ title: `Invitation to ${full_name}`, url, latest_comment_url: url });
    },
  },
} as const satisfies Record<SubjectRow['kind'], SubjectKind>;

type SubjectType = (typeof subjectKinds)[SubjectRow['kind']]['type'];

/** The types of subjects in replies. */
export const subjectTypes: readonly SubjectType[] = Object.values(subjectKinds).map(({ type }) => type);

/** What presents the subjects of the threads of a page, each by its kind. */
export async function presenterOfSubjects(
  db: Db,
  rows: readonly ThreadRow[],
): Promise<Presenter<ShownSubject & { type: SubjectType }>> {
  const loading = [...grouped(rows, ({ kind }) => kind)].map(
    async ([kind, ofKind]) => [kind, await subjectKinds[kind].presenter(db, ofKind)] as const,
  );
  const presenters = new Map<SubjectRow['kind'], Presenter>(await Promise.all(loading));
  return (row, repository) => {
    const shown = getOrThrow(presenters, row.kind)(row, repository);
    return shown && { ...shown, type: subjectKinds[row.kind].type };
  };
}
