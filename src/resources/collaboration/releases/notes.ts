// Notes of a release, made of what was merged since the one before.

import type { RepositoryAction } from '#access/action.ts';
import { callerOf } from '#access/rate-limits.ts';
import { path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { compareCommits, listAhead } from '#git/history/compare.ts';
import { listNewOids } from '#git/history/history.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import { findRef } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import type { Caller } from '#lib/caller.ts';
import { fixedValue } from '#lib/limits.ts';
import { invalid } from '#lib/refusal.ts';
import { ThreadEnded, threadFunctions } from '#lib/worker-threads/thread-functions.ts';
import { findEntry, isFile } from '#resources/code/contents/index.ts';
import { loadAccountsByEmail } from '#resources/identity/accounts/index.ts';
import { releaseLimits } from './limits.ts';
import { type NotesSettings, noSettings, sortPulls } from './notes-settings.ts';
import { checkTagName, findTarget } from './publish.ts';
import type { NotesRequest, ReleaseNotes } from './schemas.ts';
import { findNewestBeside, listMergedBy, type MergedPull } from './store.ts';

const { notesCommits, notesHistory, notesFile, notesTime } = releaseLimits;
const settingsFiles = threadFunctions<typeof import('./notes-settings.ts')>(
  new URL('./notes-settings.ts', import.meta.url),
  fixedValue(notesTime),
);
const most = fixedValue(notesCommits);
const maxTitle = 256;

/** Where a repository may have a file of settings: the first that there is counts. */
const candidates = ['.github', '.service'].flatMap((folder) => [`${folder}/release.yml`, `${folder}/release.yaml`]);

/**
 * Generates a name and notes for a release; nothing is stored.
 * @throws Refusal 422 for a target or a tag that isn't there, and for a file of settings that isn't there or can't be read
 */
export async function generateNotes(
  scope: Scope,
  { repo, by }: Pick<RepositoryAction, 'repo' | 'by'>,
  { tag_name, target_commitish, previous_tag_name, configuration_file_path }: NotesRequest,
): Promise<ReleaseNotes> {
  checkTagName(tag_name);
  const wanted = { tag_name, target_commitish: target_commitish || repo.default_branch };
  const head = await findTarget(scope, { repo }, wanted);
  if (!head) throw invalid('ReleaseNotes', 'target_commitish', 'invalid');
  const previous = previous_tag_name ?? (await findNewestBeside(scope.db, repo.id, tag_name))?.tag_name;
  const base = previous === undefined ? undefined : await tagCommit(scope, repo, previous);
  if (previous_tag_name !== undefined && !base) throw invalid('ReleaseNotes', 'previous_tag_name', 'invalid');
  const html = path(scope.links.html, repo.owner.login, repo.name);
  const settings = await findSettings(scope, repo, {
    commit: head.oid,
    named: configuration_file_path,
    caller: callerOf(by, ''),
  });
  const sections = await sectionsOf(scope, repo, { base, head: head.oid, settings });
  const compared =
    base && previous !== undefined ? path(`${html}/compare`, `${previous}...${tag_name}`) : path(`${html}/commits`, tag_name);
  const written = sections.map(({ title, lines }) => `## ${title}\n${lines.join('\n')}\n\n`);
  return { name: tag_name, body: `${written.join('')}**Full Changelog**: ${compared}` };
}

/** Reads a file of settings in a worker thread. Undefined where it can't be read. */
async function readSettings(text: string, caller: Caller): Promise<NotesSettings | undefined> {
  try {
    return await settingsFiles.call('readNotesSettings', text, { caller });
  } catch (error) {
    if (error instanceof ThreadEnded) return undefined;
    throw error;
  }
}

/** The settings in the file of a commit that a request names, or in the usual one, if there is any. @throws Refusal 422 */
async function findSettings(
  { git }: Scope,
  { id }: Repo,
  { commit, named, caller }: { commit: Oid; named: string | undefined; caller: Caller },
): Promise<NotesSettings> {
  await using reader = await openObjects(repoOf(git, id));
  for (const candidate of named === undefined ? candidates : [named]) {
    const entry = await findEntry(reader, commit, candidate);
    if (!entry || !isFile(entry)) continue;
    const { data } = entry.size > fixedValue(notesFile) ? {} : await reader.get(entry.oid);
    const settings = data && (await readSettings(data.toString('utf8'), caller));
    if (!settings) throw unusable(`${candidate} is no file of settings for notes`);
    return settings;
  }
  if (named !== undefined) throw unusable(`There is no file ${named}`);
  return noSettings;
}

const unusable = (message: string) => invalid('ReleaseNotes', 'configuration_file_path', 'invalid', message);

type Repo = RepositoryAction['repo'];

async function tagCommit({ git }: Scope, { id }: Repo, tag: string): Promise<Oid | undefined> {
  const ref = await findRef(repoOf(git, id), `refs/tags/${tag}`);
  const target = ref?.peeled ?? ref;
  return target?.type === 'commit' ? target.oid : undefined;
}

type Range = { readonly base: Oid | undefined; readonly head: Oid };
type Section = { readonly title: string; readonly lines: readonly string[] };

/**
 * What was merged since the release before: a line for each pull request, the first first, by their categories, and for each who
 * was merged for the first time; where there are none, and a release before, for each commit that isn't a merge.
 */
async function sectionsOf(
  scope: Scope,
  repo: Repo,
  { settings, ...range }: Range & { settings: NotesSettings },
): Promise<Section[]> {
  const { base, head } = range;
  const commits = await listNewOids(repoOf(scope.git, repo.id), {
    from: base ?? null,
    to: head,
    limit: fixedValue(notesHistory),
  });
  const merged = await listMergedBy(scope.db, repo.id, commits);
  if (merged.length === 0) return base ? sectionsOfCommits(scope, repo, { base, head }) : [];
  const sorted = sortPulls(merged, settings);
  const changed = sorted.flatMap(({ title, pulls }) => [
    ...(title === undefined ? [] : [`### ${title}`]),
    ...pulls.map((pull) => lineOfPull(scope, repo, pull)),
  ]);
  const newcomers = sorted
    .flatMap(({ pulls }) => pulls)
    .filter(({ is_first }) => is_first)
    .map((pull) => `* @${pull.author} made their first contribution in ${pageOf(scope, repo, pull)}`);
  return [
    { title: "What's Changed", lines: changed },
    { title: 'New Contributors', lines: newcomers },
  ].filter(({ lines }) => lines.length > 0);
}

async function sectionsOfCommits(scope: Scope, repo: Repo, ends: { base: Oid; head: Oid }): Promise<Section[]> {
  const gitRepository = repoOf(scope.git, repo.id);
  const { ahead } = await compareCommits(gitRepository, ends);
  const commits = await listAhead(gitRepository, { ...ends, ahead, offset: Math.max(0, ahead - most), limit: most });
  const lines = await linesOfCommits(scope, commits);
  const earlier = ahead > most ? [`* ${ahead - most} earlier commits`] : [];
  return lines.length > 0 ? [{ title: "What's Changed", lines: [...earlier, ...lines] }] : [];
}

const pageOf = ({ links: { html } }: Scope, { owner, name }: Repo, { number }: MergedPull): string =>
  path(html, owner.login, name, 'pull', String(number));

function lineOfPull(scope: Scope, repo: Repo, pull: MergedPull): string {
  const by = pull.author === null ? '' : ` by @${pull.author}`;
  return `* ${pull.title}${by} in ${pageOf(scope, repo, pull)}`;
}

async function linesOfCommits({ db, links: { html } }: Scope, all: readonly Commit[]): Promise<string[]> {
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
