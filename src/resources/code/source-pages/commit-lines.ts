import type { Scope } from '#endpoint/scope.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { Commit } from '#git/objects/parse-commit.ts';
import { presentPerson } from '#resources/code/commits/index.ts';
import { loadAccountsByEmail, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import type { CommitLine, LastCommit } from './schemas.ts';

const maxTitle = 200;

/** The first line of a message, cut. */
function titleOf(message: string): string {
  const line = message.trimStart().split('\n', 1)[0] ?? '';
  return line.length > maxTitle ? `${line.slice(0, maxTitle)}…` : line;
}

export const presentCommitLine = ({ oid, message, committer }: Commit): CommitLine => ({
  sha: oid,
  title: titleOf(message),
  date: presentPerson(committer).date,
});

/** Commits with their authors, by name. The accounts of all are loaded once. */
export async function presentLastCommits({ db, links }: Scope, commits: readonly Commit[]): Promise<Map<Oid, LastCommit>> {
  const emails = commits.map(({ author }) => author.email);
  const accounts = await loadAccountsByEmail(db, emails, new URL(links.html).hostname);
  return new Map(
    commits.map((commit) => {
      const account = accounts.get(commit.author.email.toLowerCase());
      const author = { author: presentUserOrNull(links, account), author_name: commit.author.name };
      return [commit.oid, { ...presentCommitLine(commit), ...author }];
    }),
  );
}
