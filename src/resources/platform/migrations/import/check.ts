import { path } from '#endpoint/links.ts';
import { getOrThrow, keyed } from '#lib/collections.ts';
import type { LimitValues } from '#lib/limits.ts';
import type { releaseLimits } from '#resources/collaboration/releases/index.ts';
import {
  type Address,
  gitAddress,
  gitFolder,
  type OrganizationRecord,
  pageName,
  type RepositoryRecord,
  type TeamRecord,
  type UserRecord,
} from '../archive/format.ts';
import { relationsToCheck } from './check-relations.ts';
import { releasesToCheck } from './check-releases.ts';
import { reviewsToCheck } from './check-reviews.ts';
import { checkVersion, countPages, hasPages, hasReleases, objectsOf, type Pages } from './pages.ts';
import { type OnProgress, refused } from './unpack.ts';

/** What an archive holds, by addresses. The larger kinds stay in their files. */
export type Contents = {
  users: ReadonlyMap<Address, UserRecord>;
  organizations: ReadonlyMap<Address, OrganizationRecord>;
  repositories: ReadonlyMap<Address, RepositoryRecord>;
  /** Empty where it isn't the archive of an organization. */
  teams: ReadonlyMap<Address, TeamRecord>;
};

const numbered = [
  'protected_branches',
  'rulesets',
  'milestones',
  'issues',
  'pull_requests',
  'issue_comments',
  'pull_request_reviews',
  'review_comments',
  'issue_events',
  'commit_comments',
  'releases',
] as const;

/** Reads all objects of an archive, and refuses it where one doesn't have its shape or names what isn't there. */
export async function checkContents(
  pages: Pages,
  limits: LimitValues<typeof releaseLimits>,
  onProgress: OnProgress,
): Promise<Contents> {
  await checkVersion(pages);
  const users = keyed(await all(objectsOf(pages, 'users')), ({ url }) => url);
  const organizations = keyed(await all(objectsOf(pages, 'organizations')), ({ url }) => url);
  const repositories = keyed(await all(objectsOf(pages, 'repositories')), ({ url }) => url);
  for (const repository of repositories.values()) checkRepository(pages, repository, { users, organizations });
  const hasTeams = pages.names.has(pageName('teams', 1));
  const teams = keyed(hasTeams ? await all(objectsOf(pages, 'teams')) : [], ({ url }) => url);
  for (const team of teams.values()) checkTeam(team, { organizations, repositories, teams });
  const total = numbered.reduce((sum, kind) => sum + countPages(pages, kind), 0);
  let done = 0;
  const seen = new Set<Address>();
  const check = async <One extends { url: Address }>(
    list: AsyncIterable<One[]>,
    parentOf: (one: One) => Address | Promise<Address>,
  ): Promise<void> => {
    for await (const page of list) {
      for (const one of page) {
        const parent = await parentOf(one);
        if (!seen.has(parent)) throw refused(`${one.url} belongs to ${parent}, which is not in it`);
        if (seen.has(one.url)) throw refused(`${one.url} is in it twice`);
        seen.add(one.url);
      }
      onProgress('Checking', ++done, total);
    }
  };
  for (const url of repositories.keys()) seen.add(url);
  await check(objectsOf(pages, 'milestones'), ({ url, repository }) => parentOf(url, repository, 'milestones'));
  /** Issues and pull requests, with their repositories. */
  const issues = new Map<Address, Address>();
  const relations = relationsToCheck();
  await check(objectsOf(pages, 'issues'), (one) => {
    issues.set(one.url, one.repository);
    relations.add(one);
    return parentOf(one.url, one.repository, 'issues');
  });
  relations.check((url) => repositories.get(issues.get(url) ?? '')?.owner);
  const pulls = new Set<Address>();
  await check(objectsOf(pages, 'pull_requests'), ({ url, repository, base }) => {
    if (base.repo !== repository) throw refused(`${url} goes into another repository than its own`);
    const issue = path(repository, 'issues', numberOf(url, repository, 'pull'));
    if (seen.has(issue)) throw refused(`${url} has the number of ${issue}`);
    issues.set(url, repository);
    pulls.add(url);
    return repository;
  });
  relations.checkDuplicates((url) => issues.has(url));
  await check(objectsOf(pages, 'issue_comments'), subjectOf);
  const reviews = reviewsToCheck(pulls);
  await check(objectsOf(pages, 'pull_request_reviews'), reviews.checkReview);
  await check(objectsOf(pages, 'review_comments'), reviews.checkComment);
  await check(objectsOf(pages, 'issue_events'), (one) => {
    const subject = subjectOf(one);
    reviews.checkDismissal(one);
    if (one.source !== undefined && issues.get(one.source) !== issues.get(subject))
      throw refused(`${one.url} names ${one.source}, which is no issue of its repository in it`);
    return subject;
  });
  await check(objectsOf(pages, 'commit_comments'), (one) => {
    if (one.path === null && (one.position !== null || one.line !== null))
      throw refused(`${one.url} is on a line, and on no file`);
    return repositoryOf(one, repositories);
  });
  /** A branch is protected once, and the rulesets of a repository have different names. */
  const protections = new Set<string>();
  const parentOfProtection = (one: { url: Address; repository: Address; type: string; name: string }): Address => {
    const key = `${one.type} ${one.repository} ${one.type === 'ruleset' ? one.name.toLowerCase() : one.name}`;
    if (protections.has(key)) throw refused(`${one.url} has the name of another one`);
    protections.add(key);
    return repositoryOf(one, repositories);
  };
  await check(objectsOf(pages, 'protected_branches'), parentOfProtection);
  if (hasPages(pages, 'rulesets')) await check(objectsOf(pages, 'rulesets'), parentOfProtection);
  if (hasReleases(pages)) {
    const checkRelease = releasesToCheck(pages, { users, organizations }, limits);
    await check(objectsOf(pages, 'releases'), async (one) => {
      const repository = repositoryOf(one, repositories);
      await checkRelease(one, getOrThrow(repositories, repository));
      return repository;
    });
  }
  return { users, organizations, repositories, teams };
}

const repositoryOf = (
  { url, repository }: { url: Address; repository: Address },
  repositories: Contents['repositories'],
): Address => {
  if (!repositories.has(repository)) throw refused(`${url} belongs to ${repository}, which is not in it`);
  return repository;
};

async function all<One>(pages: AsyncIterable<One[]>): Promise<One[]> {
  const found: One[] = [];
  for await (const page of pages) found.push(...page);
  return found;
}

function checkRepository(
  { names }: Pages,
  { url, owner, name, git_url }: RepositoryRecord,
  { users, organizations }: Pick<Contents, 'users' | 'organizations'>,
): void {
  const login = (users.get(owner) ?? organizations.get(owner))?.login;
  if (login === undefined) throw refused(`${url} belongs to ${owner}, which is not in it`);
  if (git_url === null) return;
  if (git_url !== gitAddress(login, name))
    throw refused(`${url} has its Git data at another place than ${gitAddress(login, name)}`);
  if (!names.has(`${gitFolder(login, name)}/HEAD`)) throw refused(`${url} has no Git data at ${git_url}`);
}

/**
 * Refuses a team that names what isn't in the archive, and one that stands above itself. People who aren't there are left out.
 */
function checkTeam(
  { url, organization, permissions, parent_team }: TeamRecord,
  { organizations, repositories, teams }: Pick<Contents, 'organizations' | 'repositories' | 'teams'>,
): void {
  if (!organizations.has(organization)) throw refused(`${url} belongs to ${organization}, which is not in it`);
  for (const { repository } of permissions)
    if (repositories.get(repository)?.owner !== organization)
      throw refused(`${url} has a role in ${repository}, which is not a repository of its organization in it`);
  const above = new Set([url]);
  for (let next = parent_team; next !== null; next = teams.get(next)?.parent_team ?? null) {
    if (!teams.has(next)) throw refused(`${url} is below ${next}, which is not in it`);
    if (above.has(next)) throw refused(`${url} is below itself`);
    above.add(next);
  }
}

const parentOf = (url: Address, repository: Address, word: 'issues' | 'milestones'): Address => {
  numberOf(url, repository, word);
  return repository;
};

/** The address of what a comment or an event is about: either an issue or a pull request. */
export function subjectOf({ url, issue, pull_request }: { url: Address; issue?: Address; pull_request?: Address }): Address {
  const address = issue ?? pull_request;
  if (address === undefined || (issue !== undefined && pull_request !== undefined))
    throw refused(`${url} names neither an issue nor a pull request, or both`);
  return address;
}

const largest = 2_147_483_647;

/** The number at the end of the address of an issue, pull request or milestone of a repository. */
export function numberOf(url: Address, repository: Address, word: 'issues' | 'milestones' | 'pull'): number {
  const start = `${repository}/${word}/`;
  const digits = url.startsWith(start) ? url.slice(start.length) : '';
  const number = Number(digits);
  if (!/^[1-9]\d{0,9}$/.test(digits) || number > largest)
    throw refused(`${url} is no address of one of the ${word === 'pull' ? 'pull requests' : word} of ${repository}`);
  return number;
}
