import type { Repo, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Context } from '#endpoint/context.ts';
import { compareCommits, diffAhead, listAhead } from '#git/history/compare.ts';
import { withAlternate } from '#git/objects/alternates.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Repo as Disk, GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import type { Page } from '#lib/page.ts';
import { notFound, Refusal } from '#lib/refusal.ts';
import { commitLink, repositoryUrlsOf } from './links.ts';
import { findSide } from './network.ts';
import { presentCommits, presentFiles } from './present.ts';
import { getCommitOid } from './revisions.ts';
import { filesOnPage, parseBasehead } from './rules.ts';
import type { Comparison } from './schemas.ts';

export type Ends = { base: Oid; head: Oid };

/** The merge base of two commits, and how far each is from it. Histories without a common commit are refused. */
export async function relate(disk: Disk, ends: Ends) {
  const { mergeBase, ahead, behind } = await compareCommits(disk, ends);
  if (mergeBase === undefined) throw new Refusal('not_found', 'No common ancestor between the two.');
  return { mergeBase, ahead, behind };
}

const statusOf = (ahead: number, behind: number): Comparison['status'] => {
  if (ahead > 0) return behind > 0 ? 'diverged' : 'ahead';
  return behind > 0 ? 'behind' : 'identical';
};

/** What a comparison is about: both commits, the repositories that they lie in, and where their objects are read. */
export type CompareRequest = { ends: Ends; disk: Disk; base: Repo; head: Repo; basehead: string };

type Looking = { db: Db; git: GitStore; viewer: Viewer };

/** Finds both sides of `base...head`. A side that isn't there, or not for the caller to see, is not found. */
export async function findEnds({ db, git, viewer }: Looking, repo: Repo, basehead: string): Promise<CompareRequest> {
  const sides = parseBasehead(basehead);
  const base = sides && (await findSide(db, viewer, repo, sides.base));
  const head = sides && (await findSide(db, viewer, repo, sides.head));
  if (!base || !head) throw notFound();
  const oidIn = (side: Repo, revision: string) => getCommitOid(repoOf(git, side.id), { repo: side, revision, refuse: notFound });
  const ends = { base: await oidIn(base, sides.base.revision), head: await oidIn(head, sides.head.revision) };
  const own = repoOf(git, base.id);
  return { ends, base, head, basehead, disk: base.id === head.id ? own : withAlternate(own, repoOf(git, head.id)) };
}

/** How one commit differs from another: a page of the commits between them, and on the first page the files. */
export async function compare({ db, links }: Context, asked: CompareRequest, page: Page): Promise<Comparison> {
  const { disk, ends, basehead } = asked;
  const place = repositoryUrlsOf(links, asked.base);
  const headPlace = repositoryUrlsOf(links, asked.head);
  const { mergeBase, ahead, behind } = await relate(disk, ends);
  await using reader = await openObjects(disk);
  const [corners, commits, diff] = await Promise.all([
    reader.getCommits([ends.base, mergeBase]),
    listAhead(disk, { ...ends, ahead, offset: page.offset, limit: page.limit }),
    page.number === 1 ? diffAhead(disk, ends) : undefined,
  ]);
  const [base, between, ...listed] = await presentCommits({ db, links, place }, [...corners, ...commits]);
  if (!base || !between) throw new Error('A comparison has no corners');
  const name = encodeURIComponent(basehead).replaceAll('%2F', '/').replaceAll('%3A', ':');
  const html = `${place.html}/compare/${name}`;
  return {
    url: `${place.url}/compare/${name}`,
    html_url: html,
    permalink_url: `${place.html}/compare/${ends.base}...${ends.head}`,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    base_commit: base,
    merge_base_commit: between,
    status: statusOf(ahead, behind),
    ahead_by: ahead,
    behind_by: behind,
    total_commits: ahead,
    // What lies in a fork has its addresses there.
    commits: listed.map((commit) => ({ ...commit, ...commitLink(headPlace, commit.sha) })),
    files: presentFiles(headPlace, ends.head, (diff?.files ?? []).slice(0, filesOnPage)),
  };
}
