import type { Account } from '#access/viewer.ts';
import type { Links } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import type { FileDiff } from '#git/history/diff.ts';
import type { Identity } from '#git/objects/identity.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Commit as Stored, Tag } from '#git/objects/parse-commit.ts';
import { pairs } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import { type Verification, verify } from '#resources/code/commit-verification/index.ts';
import { loadAccountsByEmail, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import { commitLink, fileLinks, type RepositoryUrls } from './links.ts';
import type { Commit, DiffEntry, GitCommit, GitPerson } from './schemas.ts';
import { commitKey, loadCommentCounts } from './store.ts';

const lastDate = Date.UTC(9999, 11, 31, 23, 59, 59);

/** The author or committer of a commit. Git allows dates beyond the year 9999, which a timestamp can't hold. */
export const presentPerson = ({ name, email, date }: Identity): GitPerson => ({
  name,
  email,
  date: timestamp(new Date(Math.min(Math.max(date.getTime(), Date.UTC(1, 0, 1)), lastDate))),
});

/** Whether the signatures of commits or tags are verified, in the same order. */
const verificationsOf = (
  { db, git, links, now }: Scope,
  entries: readonly { urls: RepositoryUrls; object: Stored | Tag }[],
): Promise<Verification[]> =>
  verify(
    { db, git, now, host: new URL(links.html).hostname },
    entries.map(({ urls, object }) => ({ repository: urls.id, object })),
  );

/** Whether the signature of a commit or tag is verified. */
export const verificationOf = async (scope: Scope, urls: RepositoryUrls, object: Stored | Tag): Promise<Verification> =>
  firstOrNotFound(await verificationsOf(scope, [{ urls: urls, object }]));

/** A commit or tag message without trailing newlines. */
export function presentMessage(message: string): string {
  // A regular expression would take quadratic time on many newlines.
  let end = message.length;
  while (end > 0 && message.charAt(end - 1) === '\n') end--;
  return message.slice(0, end);
}

const treeLink = ({ url }: RepositoryUrls, oid: Oid) => ({ sha: oid, url: `${url}/git/trees/${oid}` });

/**
 * Commits of a whole page. The accounts of their e-mail addresses, and the numbers of comments, are loaded once for all of them.
 */
export const presentCommits = (scope: Scope, urls: RepositoryUrls, commits: readonly Stored[]): Promise<Commit[]> =>
  presentCommitsOfRepositories(
    scope,
    commits.map((commit) => ({ urls: urls, commit })),
  );

/** Commits from many repositories, each with the addresses of its repository. */
export async function presentCommitsOfRepositories(
  scope: Scope,
  entries: readonly { urls: RepositoryUrls; commit: Stored }[],
): Promise<Commit[]> {
  const { db, links } = scope;
  const emails = entries.flatMap(({ commit }) => [commit.author.email, commit.committer.email]);
  const [accounts, comments, verifications] = await Promise.all([
    loadAccountsByEmail(db, emails, new URL(links.html).hostname),
    loadCommentCounts(
      db,
      entries.map(({ urls, commit }) => ({ repository: urls.id, commit: commit.oid })),
    ),
    verificationsOf(
      scope,
      entries.map(({ urls, commit: object }) => ({ urls, object })),
    ),
  ]);
  return pairs(entries, verifications).map(([{ urls, commit }, verification]) =>
    presentOne({ links, urls, accounts, comments }, commit, verification),
  );
}

export const presentCommit = async (scope: Scope, urls: RepositoryUrls, commit: Stored): Promise<Commit> =>
  firstOrNotFound(await presentCommits(scope, urls, [commit]));

type Loaded = {
  links: Links;
  urls: RepositoryUrls;
  accounts: ReadonlyMap<string, Account>;
  /** The numbers of comments, by `commitKey`. */
  comments: ReadonlyMap<string, number>;
};

function presentOne({ links, urls, accounts, comments }: Loaded, commit: Stored, verification: Verification): Commit {
  const { oid, tree, parents, author, committer, message } = commit;
  const link = commitLink(urls, oid);
  const accountOf = ({ email }: Identity) => presentUserOrNull(links, accounts.get(email.toLowerCase()));
  return {
    ...link,
    node_id: nodeId('Commit', `${urls.id}:${oid}`),
    comments_url: `${link.url}/comments`,
    commit: {
      url: `${urls.url}/git/commits/${oid}`,
      author: presentPerson(author),
      committer: presentPerson(committer),
      message: presentMessage(message),
      comment_count: comments.get(commitKey(urls.id, oid)) ?? 0,
      tree: treeLink(urls, tree),
      verification,
    },
    author: accountOf(author),
    committer: accountOf(committer),
    parents: parents.map((parent) => commitLink(urls, parent)),
  };
}

/** Git commit objects. Their signatures are checked together. */
export async function presentGitCommits(scope: Scope, urls: RepositoryUrls, commits: readonly Stored[]): Promise<GitCommit[]> {
  const verifications = await verificationsOf(
    scope,
    commits.map((object) => ({ urls, object })),
  );
  return pairs(commits, verifications).map(([commit, verification]) => presentOneObject(urls, commit, verification));
}

/** A Git commit object. */
export const presentGitCommit = async (scope: Scope, urls: RepositoryUrls, commit: Stored): Promise<GitCommit> =>
  firstOrNotFound(await presentGitCommits(scope, urls, [commit]));

const presentOneObject = (urls: RepositoryUrls, commit: Stored, verification: Verification): GitCommit => ({
  sha: commit.oid,
  node_id: nodeId('Commit', `${urls.id}:${commit.oid}`),
  url: `${urls.url}/git/commits/${commit.oid}`,
  html_url: commitLink(urls, commit.oid).html_url,
  author: presentPerson(commit.author),
  committer: presentPerson(commit.committer),
  message: presentMessage(commit.message),
  tree: treeLink(urls, commit.tree),
  parents: commit.parents.map((parent) => ({
    ...commitLink(urls, parent),
    url: `${urls.url}/git/commits/${parent}`,
  })),
  verification,
});

/** Changed files, in their state at a commit. */
export const presentFiles = (urls: RepositoryUrls, commit: Oid, files: readonly FileDiff[]): DiffEntry[] =>
  files.map(({ path, previousPath, status, additions, deletions, patch, old: before, new: after }) => {
    const { html_url: blob_url, raw_url, contents_url } = fileLinks(urls, commit, path);
    return {
      sha: after?.oid ?? before?.oid ?? null,
      filename: path,
      status,
      additions,
      deletions,
      changes: additions + deletions,
      blob_url,
      raw_url,
      contents_url,
      ...(patch === undefined ? {} : { patch }),
      ...(previousPath === undefined ? {} : { previous_filename: previousPath }),
    };
  });
