import { basename } from 'node:path/posix';
import { path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { gather, keyed } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { presentCommitsOfRepositories, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { loadAccounts, presentUser } from '#resources/identity/accounts/index.ts';
import { loadRepositories, presentRepositories } from '#resources/repositories/repositories/index.ts';
import type { CodeHit, CommitHit, TextMatch as Match, RepositoryHit, UserHit } from '#search/index.ts';
import type { Matched } from './answer.ts';
import type { CodeItem, CommitItem, RepositoryItem, TextMatch, UserItem } from './schemas.ts';

type InRepository = { repositoryId: Id<'repositories'> };

/**
 * The hits of a page whose repositories the viewer may currently read, each with its repository. Access is checked again, since
 * it may have changed since the search.
 */
async function withRepositories<Hit extends InRepository>(scope: Scope, found: readonly Matched<Hit>[]) {
  const ids = found.map(({ hit }) => hit.repositoryId);
  const rows = await loadRepositories(scope.db, scope.viewer, ids);
  const repositories = keyed(await presentRepositories(scope, rows), ({ id }) => id);
  return found.flatMap((one) => {
    const repository = repositories.get(one.hit.repositoryId);
    return repository ? [{ ...one, repository }] : [];
  });
}

/** Hits of a code search. Their addresses contain the indexed commit, so that they lead to the matching text. */
export async function presentCodeHits(scope: Scope, found: readonly Matched<CodeHit>[]): Promise<CodeItem[]> {
  return (await withRepositories(scope, found)).map(({ hit, matches, repository }) => {
    const segments = hit.path.split('/');
    const url = `${path(`${repository.url}/contents`, ...segments)}?ref=${hit.commitOid}`;
    return {
      name: basename(hit.path),
      path: hit.path,
      sha: hit.blobOid,
      url,
      git_url: path(`${repository.url}/git/blobs`, hit.blobOid),
      html_url: path(`${repository.html_url}/blob`, hit.commitOid, ...segments),
      repository,
      score: hit.score,
      file_size: hit.size,
      language: hit.language,
      ...presentMatches(matches, { url, type: 'FileContent' }),
    };
  });
}

export async function presentRepositoryHits(scope: Scope, found: readonly Matched<RepositoryHit>[]): Promise<RepositoryItem[]> {
  return (await withRepositories(scope, found)).map(({ hit, matches, repository }) => ({
    ...repository,
    score: hit.score,
    ...presentMatches(matches, { url: repository.url, type: 'Repository' }),
  }));
}

/** Hits of a user search. Accounts that were removed in the meantime are omitted. */
export async function presentUserHits({ db, links }: Scope, found: readonly Matched<UserHit>[]): Promise<UserItem[]> {
  const accounts = await loadAccounts(
    db,
    gather(
      found.map(({ hit }) => hit),
      'accountId',
    ),
  );
  return found.flatMap(({ hit, matches }) => {
    const account = accounts.get(hit.accountId);
    if (!account) return [];
    const user = presentUser(links, account);
    return [{ ...user, score: hit.score, ...presentMatches(matches, { url: user.url, type: 'User' }) }];
  });
}

/**
 * Hits of a commit search. The commits are read from their repositories. Commits that a forced push has removed in the meantime
 * are omitted.
 */
export async function presentCommitHits(scope: Scope, found: readonly Matched<CommitHit>[]): Promise<CommitItem[]> {
  const readable = await withRepositories(scope, found);
  const commits = await readCommits(
    scope.git,
    readable.map(({ hit }) => hit),
  );
  const existing = readable.flatMap((one) => {
    const commit = commits.get(one.hit.oid);
    const { repository } = one;
    const urls = repositoryUrlsOf(scope.links, { id: one.hit.repositoryId, owner: repository.owner, name: repository.name });
    return commit ? [{ ...one, urls, commit }] : [];
  });
  const presented = await presentCommitsOfRepositories(scope, existing);
  return existing.flatMap(({ hit, matches, repository }, at) => {
    const item = presented[at];
    if (!item) return [];
    return [{ ...item, repository, score: hit.score, ...presentMatches(matches, { url: item.url, type: 'Commit' }) }];
  });
}

async function readCommits(git: GitStore, hits: readonly CommitHit[]): Promise<Map<string, Commit>> {
  const commits = new Map<string, Commit>();
  // The repositories are read concurrently, since the hits of a page may be in a hundred of them.
  await Promise.all(
    [...Map.groupBy(hits, ({ repositoryId }) => repositoryId)].map(async ([repository, own]) => {
      await using reader = await openObjects(repoOf(git, repository));
      for (const [oid, commit] of await reader.findCommits(own.map((hit) => hit.oid))) commits.set(oid, commit);
    }),
  );
  return commits;
}

/** The field `text_matches`, if it was requested. */
const presentMatches = (matches: readonly Match[] | undefined, target: MatchTarget): { text_matches?: TextMatch[] } =>
  matches ? { text_matches: matches.map((match) => presentMatch(match, target)) } : {};

/** The address and the type of the matching object. */
type MatchTarget = { url: string; type: string };

export const presentMatch = ({ property, fragment, matches }: Match, target: MatchTarget): TextMatch => ({
  object_url: target.url,
  object_type: target.type,
  property,
  fragment,
  matches: matches.map(({ text, indices }) => ({ text, indices: [...indices] })),
});
