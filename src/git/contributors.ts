import { checkedOid, type Oid } from './oid.ts';
import type { Repo } from './repo.ts';
import { runText } from './run.ts';

/** The author of commits by name and address, with the number of commits. */
export type Contributor = { name: string; email: string; commits: number };

const line = /^\s*(\d+)\t(.*?) ?<([^<>]*)>$/;

/** The authors of a history, those with the most commits first. The repository's `.mailmap` joins the names of one person. */
export async function listContributors(repo: Repo, from: Oid): Promise<Contributor[]> {
  const text = await runText(repo, ['shortlog', '--summary', '--numbered', '--email', checkedOid(from), '--']);
  return text.split('\n').flatMap((row) => {
    const [, commits, name = '', email = ''] = line.exec(row) ?? [];
    return commits === undefined ? [] : [{ name, email, commits: Number(commits) }];
  });
}
