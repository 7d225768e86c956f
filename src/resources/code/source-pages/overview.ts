import type { Static } from 'typebox';
import type { Repo } from '#access/viewer.ts';
import type { Scope } from '#endpoint/scope.ts';
import { isGitError } from '#git/errors.ts';
import { listContributors } from '#git/history/contributors.ts';
import { countCommits } from '#git/history/history.ts';
import { openObjects } from '#git/objects/objects.ts';
import { languagesOf } from '#resources/code/contents/index.ts';
import { loadAccountsByEmail, presentUser, type User } from '#resources/identity/accounts/index.ts';
import { licenseFileNames } from '#resources/repositories/licenses/index.ts';
import { colorOfLanguage } from '#search/index.ts';
import { showFolder } from './folder.ts';
import { findLocation, type Location } from './location.ts';
import type { Rendering } from './rendered-file.ts';
import type { RepositoryOverview } from './schemas.ts';

type Overview = Static<typeof RepositoryOverview>;

/** More commits aren't counted. */
const maxCounted = 10_001;
/** The authors with the most commits whose accounts are looked up, and the accounts that are shown. */
const maxAuthors = 30;
const maxContributors = 12;

/** What the front page of a repository shows of its default branch. */
export async function showOverview(scope: Scope, context: Rendering, repo: Repo): Promise<Overview> {
  const location = await findLocation(scope.git, repo, '');
  if (!location) return { folder: null, commits: 0, license_path: null, languages: [], contributors: [] };
  const [folder, commits, languages] = await Promise.all([
    showFolder(scope, context, location),
    countBounded(location),
    languagesOf(scope, repo),
  ]);
  return {
    folder,
    commits,
    license_path: await licensePathOf(location),
    languages: sharesOf(languages),
    // The authors of longer histories take too long to be counted for a page.
    contributors: commits > 0 && commits < maxCounted ? await contributorsOf(scope, location) : [],
  };
}

/** The number of commits up to a bound; 0 if counting takes too long. */
async function countBounded({ gitRepository, commit }: Location): Promise<number> {
  try {
    return await countCommits(gitRepository, { from: commit, maxCount: maxCounted });
  } catch (error) {
    if (isGitError(error, 'timeout')) return 0;
    throw error;
  }
}

async function licensePathOf({ gitRepository, commit }: Location): Promise<string | null> {
  await using reader = await openObjects(gitRepository);
  const [first = null] = licenseFileNames((await reader.getTree(commit)).map(({ name }) => name));
  return first;
}

const mostLanguages = 6;

/** The shares of languages in percent, the largest first. Small ones are one. */
function sharesOf(bytes: Readonly<Record<string, number>>): Overview['languages'] {
  const all = Object.entries(bytes);
  const total = all.reduce((sum, [, one]) => sum + one, 0);
  const shares = all.map(([name, one]) => ({
    name,
    share: Math.round((one * 1_000) / total) / 10,
    color: colorOfLanguage(name) ?? '86715d',
  }));
  const shown = shares.slice(0, mostLanguages).filter(({ share }) => share > 0);
  const rest = Math.round((100 - shown.reduce((sum, { share }) => sum + share, 0)) * 10) / 10;
  return shares.length > shown.length && rest > 0 ? [...shown, { name: 'Other', share: rest, color: '86715d' }] : shown;
}

async function contributorsOf({ db, links }: Scope, { gitRepository, commit }: Location): Promise<User[]> {
  const authors = (await listContributors(gitRepository, commit)).slice(0, maxAuthors);
  const emails = authors.map(({ email }) => email);
  const accounts = await loadAccountsByEmail(db, emails, new URL(links.html).hostname);
  const found = new Map(authors.flatMap(({ email }) => accounts.get(email.toLowerCase()) ?? []).map((one) => [one.id, one]));
  return [...found.values()].slice(0, maxContributors).map((account) => presentUser(links, account));
}
