// What texts of a page name and the viewer may read: what their rendering links.

import { path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf, repositoryExists } from '#git/store.ts';
import { grouped } from '#lib/collections.ts';
import { fixedValue } from '#lib/limits.ts';
import { nextTurn } from '#lib/turns.ts';
import { findVisibleTeams, type TeamName } from '#resources/identity/teams/index.ts';
import { findReadableAutolinks } from '#resources/repositories/autolinks/index.ts';
import type { Autolink } from '#text/autolinks.ts';
import { textLimits } from '#text/limits.ts';
import { collectReferences } from '#text/read.ts';
import type { Reference } from '#text/references.ts';
import { commitKey, issueKey, type Known, type RepositoryName, repositoryKey, repositoryNamed } from '#text/render.ts';
import { pageOf } from '../addresses.ts';
import { issueTextLimits } from '../limits.ts';
import { findReadableRepositories, findUsersAndIssues, type NamedIssue, type NamedRepository } from './known-store.ts';

const most = fixedValue(textLimits.references);
const mostRepositories = fixedValue(issueTextLimits.repositories);

/** The references of a text, with its repository, to which those such as `#12` belong. */
type ReferencesInRepository = {
  readonly references: readonly Reference[];
  readonly repository: RepositoryName | undefined;
};

/**
 * The accounts, teams, issues and commits that texts refer to and that the viewer may read. It takes at most three statements for
 * any number of texts, which share the limit on references of one text. Commits are read from few repositories, one after the
 * other.
 */
export async function loadKnown(scope: Scope, texts: readonly ReferencesInRepository[]): Promise<Known> {
  const { db, links, viewer } = scope;
  const { logins, teams, issues, commits } = await wantedOf(texts);
  const [found, visible, addresses] = await Promise.all([
    findUsersAndIssues(db, viewer, { logins: [...logins], issues: [...issues.values()] }),
    findVisibleTeams(db, viewer, [...teams.values()]),
    findCommits(scope, [...commits.values()]),
  ]);
  return {
    logins: new Map(found.users.map((login) => [login.toLowerCase(), login])),
    teams: new Map(visible.map(({ org, team }) => [teamKey({ org, team }), path(links.html, 'orgs', org, 'teams', team)])),
    issues: new Map(
      found.issues.map(({ owner, repo, number, is_pull_request }) => [
        issueKey({ owner, repo }, number),
        path(links.html, owner, repo, pageOf({ is_pull_request }), number),
      ]),
    ),
    commits: addresses,
  };
}

/**
 * The autolinks of repositories that the viewer may read, by `repositoryKey`, in one statement. Those of one repository are one
 * list, however many texts it has.
 */
export async function loadAutolinks(
  { db, viewer }: Scope,
  repositories: readonly (RepositoryName | undefined)[],
): Promise<(repository: RepositoryName | undefined) => readonly Autolink[]> {
  const named = new Map<string, RepositoryName>();
  for (const repository of repositories)
    if (repository)
      named.set(repositoryKey(repository), { owner: repository.owner.toLowerCase(), repo: repository.repo.toLowerCase() });
  const rows = await findReadableAutolinks(db, viewer, [...named.values()]);
  const lists = new Map(
    [...grouped(rows, repositoryKey)].map(([key, own]) => [
      key,
      own.map(({ key_prefix: prefix, url_template: urlTemplate, is_alphanumeric: isAlphanumeric }) => ({
        prefix,
        urlTemplate,
        isAlphanumeric,
      })),
    ]),
  );
  return (repository) => (repository && lists.get(repositoryKey(repository))) ?? none;
}

const none: readonly Autolink[] = [];

type Wanted = {
  logins: Set<string>;
  teams: Map<string, TeamName>;
  issues: Map<string, NamedIssue>;
  /** The digits of commits, with their repository. */
  commits: Map<string, RepositoryName & { digits: Set<string> }>;
};

const teamKey = ({ org, team }: TeamName): string => `${org}/${team}`.toLowerCase();

/** What texts name, in lower case and each once. */
async function wantedOf(texts: readonly ReferencesInRepository[]): Promise<Wanted> {
  const wanted: Wanted = { logins: new Set(), teams: new Map(), issues: new Map(), commits: new Map() };
  const { logins, teams, issues, commits } = wanted;
  let digits = 0;
  for (const { references: all, repository } of texts) {
    const own = repository && { owner: repository.owner.toLowerCase(), repo: repository.repo.toLowerCase() };
    const references = collectReferences(all);
    for (const login of references.mentions) if (logins.size < most) logins.add(login);
    for (const team of references.teamMentions) if (teams.size < most) teams.set(teamKey(team), team);
    for (const issue of references.issues) {
      const named = repositoryNamed(issue, own);
      const { number } = issue;
      if (named && issues.size < most) issues.set(issueKey(named, number), { ...named, number });
    }
    for (const commit of references.commits) {
      const named = repositoryNamed(commit, own);
      if (!named || digits === most) continue;
      const key = `${named.owner}/${named.repo}`;
      if (!commits.has(key) && commits.size < mostRepositories) commits.set(key, { ...named, digits: new Set() });
      const there = commits.get(key)?.digits;
      if (!there || there.has(commit.sha)) continue;
      there.add(commit.sha);
      digits++;
    }
    await nextTurn();
  }
  return wanted;
}

/** The addresses of commits, by `commitKey`. */
async function findCommits(
  { db, links, viewer, git }: Scope,
  wanted: readonly (RepositoryName & { digits: ReadonlySet<string> })[],
): Promise<Map<string, string>> {
  const addresses = new Map<string, string>();
  if (!git) return addresses;
  const digitsOf = new Map(wanted.map(({ owner, repo, digits }) => [`${owner}/${repo}`, digits]));
  for (const repository of await findReadableRepositories(db, viewer, wanted)) {
    const { owner, repo } = repository;
    const names = await commitNames(git, repository, digitsOf.get(`${owner}/${repo}`.toLowerCase()) ?? new Set());
    for (const [digits, oid] of names) addresses.set(commitKey(repository, digits), path(links.html, owner, repo, 'commit', oid));
  }
  return addresses;
}

async function commitNames(git: GitStore, { id }: NamedRepository, digits: ReadonlySet<string>): Promise<Map<string, string>> {
  const gitRepository = repoOf(git, id);
  if (!(await repositoryExists(gitRepository))) return new Map();
  await using reader = await openObjects(gitRepository);
  return await reader.findCommitNames([...digits]);
}
