// The kinds of subjects of threads. A new kind needs an entry here, its identification in `Subject` (subject-store.ts), and a
// column of `notification_subjects`. Its notifications call `putSubject` and `notify`.
import type { Db } from '#database/connect.ts';
import { path } from '#endpoint/links.ts';
import { gather, getOrThrow, grouped } from '#lib/collections.ts';
import { loadPresentIds } from '#resources/collaboration/commit-comments/index.ts';
import { loadReleases } from '#resources/collaboration/releases/index.ts';
import type { ThreadRow } from './store.ts';
import {
  type IssueOfThread,
  loadIssuesOfThreads,
  loadVisibleAlerts,
  loadVisibleBudgets,
  loadVisibleDependencyAlerts,
  loadVisibleReports,
  type SubjectRow,
} from './subject-store.ts';

/** A repository, as replies name it. */
type NamedRepository = { readonly url: string; readonly full_name: string };

/** The addresses are null if the API has none for the subject. */
type ShownSubject = { type: SubjectType; title: string; url: string | null; latest_comment_url: string | null };

/** Presents the subject of a thread; undefined if it may not be shown. Its thread is then omitted. */
type Presenter = (row: ThreadRow, repository: NamedRepository) => ShownSubject | undefined;

/** The types of subjects in replies. */
export const subjectTypes = [
  'Issue',
  'PullRequest',
  'Commit',
  'Release',
  'CheckSuite',
  'SecretScanningAlert',
  'RepositoryDependencyBotAlertsThread',
  'RepositoryAdvisory',
  'RepositoryInvitation',
  'Budget',
] as const;
type SubjectType = (typeof subjectTypes)[number];

type SubjectKind = {
  /**
   * Loads the data of a page's subjects, once for all of them. The query of the threads has already checked that the viewer may
   * read their repositories. Kinds with further conditions check them here.
   */
  readonly presenter: (db: Db, rows: readonly ThreadRow[]) => Promise<Presenter>;
};

const subjectKinds = {
  issue: {
    // An issue that is converted to a pull request keeps its threads.
    async presenter(db, rows) {
      const issues = await loadIssuesOfThreads(db, rows);
      return ({ id }, repository) => {
        const issue = issues.get(id);
        if (!issue) return undefined;
        const { title, number, is_pull_request } = issue;
        const url = path(`${repository.url}/${is_pull_request ? 'pulls' : 'issues'}`, number);
        const latest_comment_url = latestCommentUrl(repository, issue) ?? url;
        return { type: is_pull_request ? 'PullRequest' : 'Issue', title, url, latest_comment_url };
      };
    },
  },
  commit: {
    async presenter(db, rows) {
      const comments = await loadPresentIds(db, gather(rows, 'comment_id'));
      return ({ commit_sha, comment_id, title }, repository) => {
        if (commit_sha === null || title === null) return undefined;
        const url = path(`${repository.url}/commits`, commit_sha);
        const isThere = comment_id !== null && comments.has(comment_id);
        const latest_comment_url = isThere ? path(`${repository.url}/comments`, comment_id) : url;
        return { type: 'Commit', title, url, latest_comment_url };
      };
    },
  },
  release: {
    async presenter(db, rows) {
      const releases = await loadReleases(db, gather(rows, 'release_id'));
      return ({ release_id }, repository) => {
        const release = release_id === null ? undefined : releases.get(release_id);
        // A release that became a draft again is only visible to people with write access.
        if (!release || release.draft) return undefined;
        const url = path(`${repository.url}/releases`, release.id);
        return { type: 'Release', title: release.name || release.tag_name, url, latest_comment_url: url };
      };
    },
  },
  check_suite: {
    async presenter() {
      // Without an address, as in the public API.
      return ({ title }) => (title === null ? undefined : { type: 'CheckSuite', title, url: null, latest_comment_url: null });
    },
  },
  secret_alert: {
    async presenter(db, rows) {
      const numbers = await loadVisibleAlerts(db, rows);
      return ({ id, title }, repository) => {
        const number = numbers.get(id);
        if (number === undefined || title === null) return undefined;
        const url = path(`${repository.url}/secret-scanning/alerts`, number);
        return { type: 'SecretScanningAlert', title, url, latest_comment_url: url };
      };
    },
  },
  repository_advisory: {
    async presenter(db, rows) {
      const reports = await loadVisibleReports(db, rows);
      return ({ id }, repository) => {
        const report = reports.get(id);
        if (!report) return undefined;
        const url = path(`${repository.url}/security-advisories`, report.identifier);
        return { type: 'RepositoryAdvisory', title: report.summary, url, latest_comment_url: url };
      };
    },
  },
  dependency_alerts: {
    async presenter(db, rows) {
      const visible = await loadVisibleDependencyAlerts(db, rows);
      // Without an address, as in the public API, since it covers all alerts of the repository.
      return ({ id, title }) =>
        title === null || !visible.has(id)
          ? undefined
          : { type: 'RepositoryDependencyBotAlertsThread', title, url: null, latest_comment_url: null };
    },
  },
  budget: {
    async presenter(db, rows) {
      const visible = await loadVisibleBudgets(db, rows);
      // Without an address, since only owners may read budgets.
      return ({ id, title }) =>
        title === null || !visible.has(id) ? undefined : { type: 'Budget', title, url: null, latest_comment_url: null };
    },
  },
  invitation: {
    async presenter() {
      // Accepted invitations are deleted, so the address is that of the repository.
      return (_, { url, full_name }) => ({
        type: 'RepositoryInvitation',
        title: `Invitation to ${full_name}`,
        url,
        latest_comment_url: url,
      });
    },
  },
} as const satisfies Record<SubjectRow['kind'], SubjectKind>;

function latestCommentUrl({ url }: NamedRepository, { comment, review_comment }: IssueOfThread): string | undefined {
  if (comment !== null) return path(`${url}/issues/comments`, comment);
  return review_comment === null ? undefined : path(`${url}/pulls/comments`, review_comment);
}

/** Presents the subjects of a page's threads, each by its kind. */
export async function presenterOfSubjects(db: Db, rows: readonly ThreadRow[]): Promise<Presenter> {
  const loading = [...grouped(rows, ({ kind }) => kind)].map(
    async ([kind, ofKind]) => [kind, await subjectKinds[kind].presenter(db, ofKind)] as const,
  );
  const presenters = new Map<SubjectRow['kind'], Presenter>(await Promise.all(loading));
  return (row, repository) => getOrThrow(presenters, row.kind)(row, repository);
}
