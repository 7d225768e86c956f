import { path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { gather, getOrThrow, grouped, unique } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import { firstOrNotFound, notFound } from '#lib/refusal.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { fileLinks, presentMessage, type RepositoryUrls, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { type LoadedApp, loadApps, presentApp } from '#resources/repositories/apps/index.ts';
import { presentRepositories, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import type {
  CheckAnnotation,
  CheckRun,
  CheckRunInPayload,
  CheckSuite,
  CheckSuiteInPayload,
  PullRequestMinimal,
  SimpleCheckSuite,
  SimpleCommit,
} from './schemas.ts';
import { type AnnotationRow, listPullsOfHeads, type PullOfHead, type RunRow, type SuiteRow } from './store.ts';

/** The data that runs and suites show in addition to their rows, loaded once for a page. */
type CheckParts = {
  readonly apps: ReadonlyMap<number, LoadedApp>;
  /** The open pull requests by head commit. A commit that is missing in the map isn't a head. */
  readonly pullRequests: ReadonlyMap<Oid, readonly PullRequestMinimal[]>;
};

/** Loads the parts. */
async function loadParts(scope: Scope, urls: RepositoryUrls, rows: readonly (RunRow | SuiteRow)[]): Promise<CheckParts> {
  const { db } = scope;
  const [apps, pullRequests] = await Promise.all([
    loadApps(db, gather(rows, 'app_id')),
    loadPullsOfHeads(scope, urls, gather(rows, 'head_sha')),
  ]);
  return { apps, pullRequests };
}

/** The open pull requests whose heads are the given commits, as shown by checks and runs. */
export async function loadPullsOfHeads(
  { db }: Scope,
  urls: RepositoryUrls,
  heads: readonly Oid[],
): Promise<Map<Oid, readonly PullRequestMinimal[]>> {
  const pulls = await listPullsOfHeads(db, urls.id, unique(heads));
  const byHead = grouped(pulls, ({ head_sha }) => head_sha);
  return new Map([...byHead].map(([head, own]) => [head, own.map((pull) => presentPull(urls, pull))]));
}

/** A pull request between two branches of one repository. */
function presentPull({ id, url }: RepositoryUrls, pull: PullOfHead): PullRequestMinimal {
  const repo = { id, url, name: pull.repository };
  return {
    id: pull.pull_id,
    number: pull.number,
    url: `${url}/pulls/${pull.number}`,
    head: { ref: pull.head_ref, sha: pull.head_sha, repo },
    base: { ref: pull.base_ref, sha: pull.base_sha, repo },
  };
}

/** Runs of a whole page. */
export async function presentRuns(scope: Scope, urls: RepositoryUrls, rows: readonly RunRow[]): Promise<CheckRun[]> {
  const parts = await loadParts(scope, urls, rows);
  return rows.map((row) => presentOneRun(scope, urls, row, parts));
}

export const presentRun = async (scope: Scope, urls: RepositoryUrls, row: RunRow): Promise<CheckRun> =>
  firstOrNotFound(await presentRuns(scope, urls, [row]));

function presentOneRun({ links }: Scope, urls: RepositoryUrls, row: RunRow, { apps, pullRequests }: CheckParts): CheckRun {
  const url = `${urls.url}/check-runs/${row.id}`;
  const app = getOrThrow(apps, row.app_id);
  return {
    id: row.id,
    name: row.name,
    node_id: nodeId('CheckRun', row.id),
    head_sha: row.head_sha,
    external_id: row.external_id,
    url,
    html_url: path(urls.html, 'runs', row.id),
    // Addresses of the server's own apps are relative, since the server's address may change.
    details_url: row.details_url?.startsWith('/') ? `${links.html}${row.details_url}` : (row.details_url ?? app.external_url),
    status: row.status,
    conclusion: row.conclusion,
    started_at: timestamp(row.started_at),
    completed_at: timestampOrNull(row.completed_at),
    output: {
      title: row.title,
      summary: row.summary,
      text: row.text,
      annotations_count: row.annotations_count,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: row.check_suite_id },
    app: presentApp(links, app, app.owner),
    pull_requests: [...(pullRequests.get(row.head_sha) ?? [])],
  };
}

export const presentAnnotation = (urls: RepositoryUrls, { head_sha }: RunRow, row: AnnotationRow): CheckAnnotation => ({
  path: row.path,
  blob_href: fileLinks(urls, head_sha, row.path).html_url,
  start_line: row.start_line,
  start_column: row.start_column,
  end_line: row.end_line,
  end_column: row.end_column,
  annotation_level: row.annotation_level,
  title: row.title,
  message: row.message,
  raw_details: row.raw_details,
});

/** Suites of a whole page, all of one repository. Suites whose commit Git no longer has are omitted. */
export async function presentSuites(scope: Scope, repo: RepositoryWithOwner, rows: readonly SuiteRow[]): Promise<CheckSuite[]> {
  const urls = repositoryUrlsOf(scope.links, repo);
  const [parts, commits, [repository]] = await Promise.all([
    loadParts(scope, urls, rows),
    loadCommits(repoOf(scope.git, repo.id), rows),
    presentRepositories(scope, [repo]),
  ]);
  if (!repository) throw notFound();
  return rows.flatMap((row) => {
    const commit = commits.get(row.head_sha);
    return commit ? [{ ...presentWithCommit(scope, urls, row, parts, commit), repository }] : [];
  });
}

export const presentSuite = async (scope: Scope, repo: RepositoryWithOwner, row: SuiteRow): Promise<CheckSuite> =>
  firstOrNotFound(await presentSuites(scope, repo, [row]));

async function loadCommits(gitRepository: GitRepository, rows: readonly SuiteRow[]): Promise<ReadonlyMap<Oid, Commit>> {
  await using reader = await openObjects(gitRepository);
  return reader.findCommits(unique(gather(rows, 'head_sha')));
}

/** A suite in payloads; undefined if Git no longer has its commit. */
export async function presentSuitePayload(
  scope: Scope,
  urls: RepositoryUrls,
  row: SuiteRow,
): Promise<CheckSuiteInPayload | undefined> {
  const [parts, commits] = await Promise.all([
    loadParts(scope, urls, [row]),
    loadCommits(repoOf(scope.git, row.repository_id), [row]),
  ]);
  const commit = commits.get(row.head_sha);
  return commit && presentWithCommit(scope, urls, row, parts, commit);
}

/** A run in payloads, with its suite. */
export async function presentRunPayload(
  scope: Scope,
  urls: RepositoryUrls,
  row: RunRow,
  suite: SuiteRow,
): Promise<CheckRunInPayload> {
  const parts = await loadParts(scope, urls, [row]);
  return { ...presentOneRun(scope, urls, row, parts), check_suite: presentSimpleSuite(scope, urls, suite, parts) };
}

function presentSimpleSuite(
  { links }: Scope,
  urls: RepositoryUrls,
  row: SuiteRow,
  { apps, pullRequests }: CheckParts,
): SimpleCheckSuite {
  const app = getOrThrow(apps, row.app_id);
  return {
    id: row.id,
    node_id: nodeId('CheckSuite', row.id),
    head_branch: row.head_branch,
    head_sha: row.head_sha,
    status: row.status,
    conclusion: row.conclusion,
    url: `${urls.url}/check-suites/${row.id}`,
    before: row.before_sha,
    after: row.after_sha,
    pull_requests: [...(pullRequests.get(row.head_sha) ?? [])],
    app: presentApp(links, app, app.owner),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  };
}

function presentWithCommit(
  scope: Scope,
  urls: RepositoryUrls,
  row: SuiteRow,
  parts: CheckParts,
  commit: Commit,
): CheckSuiteInPayload {
  const suite = presentSimpleSuite(scope, urls, row, parts);
  return {
    ...suite,
    head_commit: presentSimpleCommit(commit),
    latest_check_runs_count: row.latest_runs_count,
    check_runs_url: `${suite.url}/check-runs`,
  };
}

const presentSimpleCommit = ({ oid, tree, message, author, committer }: Commit): SimpleCommit => ({
  id: oid,
  tree_id: tree,
  message: presentMessage(message),
  timestamp: timestamp(committer.date),
  author: { name: author.name, email: author.email },
  committer: { name: committer.name, email: committer.email },
});
