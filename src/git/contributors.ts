import { checkedOid, type Oid } from './oid.ts';
import type { Repo } from './repo.ts';
import { runText } from './run.ts';

/** Somebody who wrote commits, under one name and address, and how many. */
export type Contributor = { name: string; email: string; commits: number };

const line = /^\s*(\d+)\t(.*?) ?<([^<>]*)>$/;

/** Who wrote the commits behind this one, the most first. The repository's `.mailmap` joins names of one person. */
export async function listContributors(repo: Repo, from: Oid): Promise<Contributor[]> {
  const text = await runText(repo, ['shortlog', '--summary', '--numbered', '--email', checkedOid(from), '--']);
  return text.split('\n').flatMap((row) => {
    const [, commits, name = '', email = ''] = line.exec(row) ?? [];
    return commits === undefined ? [] : [{ name, email, commits: Number(commits) }];
  });
}
