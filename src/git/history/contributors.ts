import { cached, kindOf } from '../objects/object-cache.ts';
import { openObjects } from '../objects/objects.ts';
import { checkedOid, type Oid } from '../objects/oid.ts';
import { runText } from '../process/run.ts';
import type { GitRepository } from '../repo.ts';

/** An author with the number of commits. */
type Contributor = { name: string; email: string; commits: number };

const line = /^\s*(\d+)\t(.*?) ?<([^<>]*)>$/;

/** Bytes of the list. It must be bounded, since pushed commits can have any number of authors. */
const maxOutput = 4 * 1024 * 1024;

/** Cached lists, by the commit and the default branch's `.mailmap`, which git applies. */
const lists = kindOf<Contributor[]>('contributors');

/**
 * The authors of a history, ordered by number of commits and merged by the repository's `.mailmap`. Beyond four megabytes of
 * names, the authors with the fewest commits are missing.
 */
export async function listContributors(repo: GitRepository, from: Oid): Promise<Contributor[]> {
  await using reader = await openObjects(repo);
  const mailmap = await reader.findInfo('HEAD', { path: '.mailmap' });
  return cached(repo, lists, `${from} ${mailmap?.oid ?? ''}`, () => readContributors(repo, from));
}

async function readContributors(repo: GitRepository, from: Oid): Promise<Contributor[]> {
  const args = ['shortlog', '--summary', '--numbered', '--email', checkedOid(from), '--'];
  const text = await runText(repo, args, { maxOutput: maxOutput, truncate: true });
  return text.split('\n').flatMap((row) => {
    const [, commits, name = '', email = ''] = line.exec(row) ?? [];
    return commits === undefined ? [] : [{ name, email, commits: Number(commits) }];
  });
}
