import type { Account } from '#access/viewer.ts';
import type { Context } from '#endpoint/context.ts';
import type { Links } from '#endpoint/links.ts';
import type { FileDiff } from '#git/history/diff.ts';
import type { Identity } from '#git/objects/identity.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Commit as Stored, Tag } from '#git/objects/parse-commit.ts';
import { nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import { loadAccountsByEmail, presentUserOrNull } from '#resources/accounts/index.ts';
import { commitLink, fileLinks, type RepositoryUrls } from './links.ts';
import type { Commit, DiffEntry, GitCommit, GitPerson, Verification } from './schemas.ts';

export type UrlsContext = Context & { place: RepositoryUrls };

const lastDate = Date.UTC(9999, 11, 31, 23, 59, 59);

/** The author or committer of a commit. Git allows dates beyond the year 9999, which a timestamp can't hold. */
export const presentPerson = ({ name, email, date }: Identity): GitPerson => ({
  name,
  email,
  date: timestamp(new Date(Math.min(Math.max(date.getTime(), Date.UTC(1, 0, 1)), lastDate))),
});

/** Signatures are shown and not verified, since Hearth knows nobody's public keys. */
export const presentVerification = ({ signature, payload }: Pick<Stored | Tag, 'signature' | 'payload'>): Verification => ({
  verified: false,
  reason: signature === undefined ? 'unsigned' : 'gpgverify_unavailable',
  signature: signature ?? null,
  payload: payload ?? null,
  verified_at: null,
});

/** A message without the line end that Git closes it with. */
export function presentMessage(message: string): string {
  // Not by a pattern, which would take quadratic time on many line ends.
  let end = message.length;
  while (end > 0 && message.charAt(end - 1) === '\n') end--;
  return message.slice(0, end);
}

export const treeLink = ({ url }: RepositoryUrls, oid: Oid) => ({ sha: oid, url: `${url}/git/trees/${oid}` });

/** Commits of a whole page: the accounts behind their addresses are loaded once for all of them. */
export const presentCommits = ({ db, links, place }: UrlsContext, commits: readonly Stored[]): Promise<Commit[]> =>
  presentPlacedCommits(
    { db, links },
    commits.map((commit) => ({ place, commit })),
  );

/** Commits from many repositories. */
export async function presentPlacedCommits(
  { db, links }: Context,
  placed: readonly { place: RepositoryUrls; commit: Stored }[],
): Promise<Commit[]> {
  const emails = placed.flatMap(({ commit }) => [commit.author.email, commit.committer.email]);
  const accounts = await loadAccountsByEmail(db, emails, new URL(links.html).hostname);
  return placed.map(({ place, commit }) => presentOne(links, place, commit, accounts));
}

/** One commit. */
export const presentCommit = async (context: UrlsContext, commit: Stored): Promise<Commit> =>
  firstOrNotFound(await presentCommits(context, [commit]));

function presentOne(links: Links, place: RepositoryUrls, commit: Stored, accounts: ReadonlyMap<string, Account>): Commit {
  const { oid, tree, parents, author, committer, message } = commit;
  const link = commitLink(place, oid);
  const accountOf = ({ email }: Identity) => presentUserOrNull(links, accounts.get(email.toLowerCase()));
  return {
    ...link,
    node_id: nodeId('Commit', `${place.id}:${oid}`),
    comments_url: `${link.url}/comments`,
    commit: {
      url: `${place.url}/git/commits/${oid}`,
      author: presentPerson(author),
      committer: presentPerson(committer),
      message: presentMessage(message),
      comment_count: 0,
      tree: treeLink(place, tree),
      verification: presentVerification(commit),
    },
    author: accountOf(author),
    committer: accountOf(committer),
    parents: parents.map((parent) => commitLink(place, parent)),
  };
}

/** A commit as Git has it. */
export const presentGitCommit = (place: RepositoryUrls, commit: Stored): GitCommit => ({
  sha: commit.oid,
  node_id: nodeId('Commit', `${place.id}:${commit.oid}`),
  url: `${place.url}/git/commits/${commit.oid}`,
  html_url: commitLink(place, commit.oid).html_url,
  author: presentPerson(commit.author),
  committer: presentPerson(commit.committer),
  message: presentMessage(commit.message),
  tree: treeLink(place, commit.tree),
  parents: commit.parents.map((parent) => ({
    ...commitLink(place, parent),
    url: `${place.url}/git/commits/${parent}`,
  })),
  verification: presentVerification(commit),
});

/** Changed files, as they are at a commit. */
export const presentFiles = (place: RepositoryUrls, commit: Oid, files: readonly FileDiff[]): DiffEntry[] =>
  files.map(({ path, previousPath, status, additions, deletions, patch, old, new: now }) => {
    const { html_url: blob_url, raw_url, contents_url } = fileLinks(place, commit, path);
    return {
      sha: now?.oid ?? old?.oid ?? null,
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
