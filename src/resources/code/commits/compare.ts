import type { Repo } from '#access/viewer.ts';
import type { Raw } from '#endpoint/call.ts';
import type { Scope } from '#endpoint/scope.ts';
import { compareCommits, listAhead } from '#git/history/compare.ts';
import { diffTrees } from '#git/history/diff.ts';
import { openDiff, openPatches } from '#git/history/patch-text.ts';
import { withAlternate } from '#git/objects/alternates.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitRepository } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import type { Media } from '#lib/media.ts';
import type { Page } from '#lib/page.ts';
import { notFound, Refusal } from '#lib/refusal.ts';
import { rawPatch } from './full-commit.ts';
import { commitLink, repositoryUrlsOf } from './links.ts';
import { findSide } from './network.ts';
import { presentCommits, presentFiles } from './present.ts';
import { getCommitOid } from './revisions.ts';
import { filesOnPage, parseBasehead } from './rules.ts';
import type { Comparison } from './schemas.ts';

type Ends = { base: Oid; head: Oid };

/** The merge base of two commits, and how far each is from it. Histories without a common commit are refused. */
export async function compareHistories(gitRepository: GitRepository, ends: Ends) {
  const { mergeBase, ahead, behind } = await compareCommits(gitRepository, ends);
  if (mergeBase === undefined) throw new Refusal('not_found', 'No common ancestor between the two.');
  return { mergeBase, ahead, behind };
}

const statusOf = (ahead: number, behind: number): Comparison['status'] => {
  if (ahead > 0) return behind > 0 ? 'diverged' : 'ahead';
  return behind > 0 ? 'behind' : 'identical';
};

/** A comparison: both commits, their repositories, and where their objects are read. */
type CompareRequest = { ends: Ends; gitRepository: GitRepository; base: Repo; head: Repo; basehead: string };

/** Finds both sides of `base...head`. A side that doesn't exist, or that the viewer may not read, is answered 404. */
export async function findComparison({ db, git, viewer }: Scope, repo: Repo, basehead: string): Promise<CompareRequest> {
  const sides = parseBasehead(basehead);
  const base = sides && (await findSide(db, viewer, repo, sides.base));
  const head = sides && (await findSide(db, viewer, repo, sides.head));
  if (!base || !head) throw notFound();
  const oidIn = (side: Repo, revision: string) => getCommitOid(repoOf(git, side.id), { repo: side, revision, refuse: notFound });
  const ends = { base: await oidIn(base, sides.base.revision), head: await oidIn(head, sides.head.revision) };
  const baseDisk = repoOf(git, base.id);
  return {
    ends,
    base,
    head,
    basehead,
    gitRepository: base.id === head.id ? baseDisk : withAlternate(baseDisk, repoOf(git, head.id)),
  };
}

/** How one commit differs from another: a page of the commits between them, and on the first page the files. */
export async function compare(scope: Scope, request: CompareRequest, page: Page): Promise<Comparison> {
  const { gitRepository, ends, basehead } = request;
  const { links } = scope;
  const urls = repositoryUrlsOf(links, request.base);
  const headUrls = repositoryUrlsOf(links, request.head);
  const { mergeBase, ahead, behind } = await compareHistories(gitRepository, ends);
  await using reader = await openObjects(gitRepository);
  const [baseAndMergeBase, commits, diff] = await Promise.all([
    reader.getCommits([ends.base, mergeBase]),
    listAhead(gitRepository, { ...ends, ahead, offset: page.offset, limit: page.limit }),
    page.number === 1 ? diffTrees(gitRepository, { from: mergeBase, to: ends.head }) : undefined,
  ]);
  const [base, mergeBaseCommit, ...listed] = await presentCommits(scope, urls, [...baseAndMergeBase, ...commits]);
  if (!base || !mergeBaseCommit) throw new Error('The commits of a comparison were not read');
  const name = encodeURIComponent(basehead).replaceAll('%2F', '/').replaceAll('%3A', ':');
  const html = `${urls.html}/compare/${name}`;
  return {
    url: `${urls.url}/compare/${name}`,
    html_url: html,
    permalink_url: `${urls.html}/compare/${ends.base}...${ends.head}`,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    base_commit: base,
    merge_base_commit: mergeBaseCommit,
    status: statusOf(ahead, behind),
    ahead_by: ahead,
    behind_by: behind,
    total_commits: ahead,
    // Commits of a fork have their addresses in the fork.
    commits: listed.map((commit) => ({ ...commit, ...commitLink(headUrls, commit.sha) })),
    files: presentFiles(headUrls, ends.head, (diff?.files ?? []).slice(0, filesOnPage)),
  };
}

/** A comparison as text: one diff from the merge base, or the patches of the commits. */
export async function compareAsText({ gitRepository, ends }: CompareRequest, media: Media): Promise<Raw> {
  const { mergeBase: from } = await compareHistories(gitRepository, ends);
  const { base: without, head: to } = ends;
  return rawPatch(media, media === 'diff' ? openDiff(gitRepository, { from, to }) : openPatches(gitRepository, { to, without }));
}

/** The number of commits that a page shows of a comparison: the latest. */
const commitsShown = 100;

/** What a page says of a comparison before its diff. `mergeBase` is undefined for histories without a common commit. */
export async function summarize(scope: Scope, { gitRepository, ends, base, head }: CompareRequest) {
  const { mergeBase, ahead, behind } = await compareCommits(gitRepository, ends);
  const limit = Math.min(ahead, commitsShown);
  const commits = mergeBase === undefined ? [] : await listAhead(gitRepository, { ...ends, ahead, offset: ahead - limit, limit });
  const sideOf = (sha: Oid, { owner, name }: Repo) => ({ sha, repository: `${owner.login}/${name}` });
  return {
    mergeBase,
    status: mergeBase === undefined ? null : statusOf(ahead, behind),
    base: sideOf(ends.base, base),
    head: sideOf(ends.head, head),
    ahead_by: ahead,
    behind_by: behind,
    commits: await presentCommits(scope, repositoryUrlsOf(scope.links, head), commits),
  };
}
