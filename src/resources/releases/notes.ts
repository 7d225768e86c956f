// Notes of a release, made of what was merged since the one before.
import type { RepositoryAction } from '#access/action.ts';
import { path } from '#endpoint/links.ts';
import { compareCommits, listAhead } from '#git/history/compare.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import { findRef } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { gather } from '#lib/collections.ts';
import { fixedValue, limitTable } from '#lib/limits.ts';
import { invalid } from '#lib/refusal.ts';
import { loadAccountsByEmail } from '#resources/accounts/index.ts';
import type { MoveContext } from '#resources/pushes/index.ts';
import { checkTagName, findTarget } from './publish.ts';
import type { NotesRequest, ReleaseNotes } from './schemas.ts';
import { findNewestBeside, listMergedBy, type MergedPull } from './store.ts';

type NotesContext = Pick<MoveContext, 'db' | 'git'> & {
  /** Where people reach the server. */
  html: string;
};

const most = fixedValue(limitTable.releases.notesCommits);
const maxTitle = 256;

/** Generates a name and notes for a release; nothing is stored. @throws Refusal 422 for a target or a tag that isn't there */
export async function generateNotes(
  context: NotesContext,
  { repo }: Pick<RepositoryAction, 'repo'>,
  { tag_name, target_commitish, previous_tag_name }: NotesRequest,
): Promise<ReleaseNotes> {
  checkTagName(tag_name);
  const wanted = { tag_name, target_commitish: target_commitish || repo.default_branch };
  const head = await findTarget(context, { repo }, wanted);
  if (!head) throw invalid('ReleaseNotes', 'target_commitish', 'invalid');
  const previous = previous_tag_name ?? (await findNewestBeside(context.db, repo.id, tag_name))?.tag_name;
  const base = previous === undefined ? undefined : await tagCommit(context, repo, previous);
  if (previous_tag_name !== undefined && !base) throw invalid('ReleaseNotes', 'previous_tag_name', 'invalid');
  const html = path(context.html, repo.owner.login, repo.name);
  if (!base || previous === undefined) return { name: tag_name, body: changelog(path(`${html}/commits`, tag_name)) };
  const lines = await linesOf(context, repo, { base, head: head.oid });
  const heading = lines.length > 0 ? `## What's Changed\n${lines.join('\n')}\n\n` : '';
  return { name: tag_name, body: heading + changelog(path(`${html}/compare`, `${previous}...${tag_name}`)) };
}

const changelog = (url: string): string => `**Full Changelog**: ${url}`;

type Repo = RepositoryAction['repo'];

async function tagCommit({ git }: NotesContext, { id }: Repo, tag: string): Promise<Oid | undefined> {
  const ref = await findRef(repoOf(git, id), `refs/tags/${tag}`);
  const target = ref?.peeled ?? ref;
  return target?.type === 'commit' ? target.oid : undefined;
}

/** A line for each pull request that was merged, the first first; where there are none, for each commit that isn't a merge. */
async function linesOf(context: NotesContext, repo: Repo, ends: { base: Oid; head: Oid }): Promise<string[]> {
  const disk = repoOf(context.git, repo.id);
  const { ahead } = await compareCommits(disk, ends);
  const commits = await listAhead(disk, { ...ends, ahead, offset: Math.max(0, ahead - most), limit: most });
  const merged = await listMergedBy(context.db, repo.id, gather(commits, 'oid'));
  if (merged.length > 0) return merged.map((pull) => lineOfPull(context, repo, pull));
  const lines = await linesOfCommits(context, commits);
  return ahead > most ? [`* ${ahead - most} earlier commits`, ...lines] : lines;
}

function lineOfPull({ html }: NotesContext, { owner, name }: Repo, { number, title, author }: MergedPull): string {
  const by = author === null ? '' : ` by @${author}`;
  return `* ${title}${by} in ${path(html, owner.login, name, 'pull', String(number))}`;
}

async function linesOfCommits({ db, html }: NotesContext, all: readonly Commit[]): Promise<string[]> {
  const commits = all.filter(({ parents }) => parents.length < 2);
  const emails = commits.map(({ author }) => author.email);
  const authors = await loadAccountsByEmail(db, emails, new URL(html).hostname);
  return commits.map((commit) => {
    const login = authors.get(commit.author.email.toLowerCase())?.login;
    return `* ${titleOf(commit)} by ${login === undefined ? commit.author.name : `@${login}`} in ${commit.oid}`;
  });
}

const titleOf = ({ message }: Commit): string =>
  (message.trimStart().split('\n', 1)[0] ?? '').slice(0, maxTitle).trimEnd().replaceAll('\0', ' ').toWellFormed();
