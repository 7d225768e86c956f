// The messages of merges, by the settings of a repository (the public API's rules).
import type { RepositoryRow } from '#access/viewer.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import { unique } from '#lib/collections.ts';
import type { NewPullMerge } from './schemas.ts';
import type { PullRow } from './store.ts';

/** The data for the messages of a merge. `commits` are the commits of the pull request, oldest first. */
export type Merged = {
  repo: RepositoryRow;
  pull: Pick<PullRow, 'number' | 'title' | 'body' | 'head_ref'>;
  headOwner: string;
  commits: readonly Commit[];
};

type Wanted = Pick<NewPullMerge, 'commit_title' | 'commit_message'>;

/** The message of a merge commit. */
export function mergeMessage({ repo, pull, headOwner }: Merged, wanted: Wanted): string {
  const title =
    repo.merge_commit_title === 'PR_TITLE'
      ? numbered(pull)
      : `Merge pull request #${pull.number} from ${headOwner}/${pull.head_ref}`;
  const bodies = { PR_TITLE: pull.title, PR_BODY: pull.body ?? '', BLANK: '' } as const;
  return messageOf(wanted.commit_title ?? title, wanted.commit_message ?? bodies[repo.merge_commit_message]);
}

/**
 * The message of the one commit into which the commits of a pull request are squashed. `addresses` are those of its author: the
 * others are named in it.
 */
export function squashMessage({ repo, pull, commits }: Merged, wanted: Wanted, addresses: readonly string[]): string {
  const [only] = commits.length === 1 ? commits : [];
  const title = only && repo.squash_merge_commit_title === 'COMMIT_OR_PR_TITLE' ? splitMessage(only.message).title : pull.title;
  const bodies = {
    PR_BODY: pull.body ?? '',
    BLANK: '',
    COMMIT_MESSAGES: only ? splitMessage(only.message).body : listOf(commits),
  } as const;
  const body = wanted.commit_message ?? bodies[repo.squash_merge_commit_message];
  const trailers = wanted.commit_message === undefined ? coAuthorsOf(commits, addresses) : [];
  const whole = [body, trailers.join('\n')].filter((part) => part !== '').join('\n\n');
  return messageOf(wanted.commit_title ?? numbered({ ...pull, title }), whole);
}

const numbered = ({ title, number }: Pick<PullRow, 'title' | 'number'>): string => `${title} (#${number})`;

const messageOf = (title: string, body: string): string => (body.trim() === '' ? title : `${title}\n\n${body.trimEnd()}`);

function splitMessage(message: string): { title: string; body: string } {
  const end = message.indexOf('\n');
  return end < 0 ? { title: message, body: '' } : { title: message.slice(0, end), body: message.slice(end + 1).trim() };
}

const listOf = (commits: readonly Commit[]): string => commits.map(({ message }) => `* ${message.trim()}`).join('\n\n');

/** A line for each author of the commits but the one of the squashed commit. */
const coAuthorsOf = (commits: readonly Commit[], addresses: readonly string[]): string[] => {
  const own = new Set(addresses.map((address) => address.toLowerCase()));
  const others = commits.filter(({ author }) => !own.has(author.email.toLowerCase()));
  return unique(others.map((commit) => `Co-authored-by: ${commit.author.name} <${commit.author.email}>`));
};
