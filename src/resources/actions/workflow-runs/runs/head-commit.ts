import { openObjects } from '#git/objects/objects.ts';
import type { GitRepository } from '#git/repo.ts';
import { timestamp } from '#lib/time.ts';

/** The head commit of a run, as stored with the run. */
export type HeadCommit = {
  readonly id: string;
  readonly tree_id: string;
  readonly message: string;
  readonly timestamp: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly committer: { readonly name: string; readonly email: string };
};

/** Lists show many runs, and anybody's commit may be the head of one. */
const maxMessage = 64 * 1_024;

/** The commit that an object, a ref or a tag points to; undefined if it isn't a commit. */
export async function headCommitOf(gitRepository: GitRepository, rev: string): Promise<HeadCommit | undefined> {
  await using reader = await openObjects(gitRepository);
  const info = await reader.findInfo(rev, { peel: 'commit' });
  if (info?.type !== 'commit') return undefined;
  const { tree, message, author, committer } = await reader.getCommit(info.oid);
  const person = ({ name, email }: { name: string; email: string }) => ({ name, email });
  return {
    id: info.oid,
    tree_id: tree,
    message: message.slice(0, maxMessage).toWellFormed(),
    timestamp: timestamp(committer.date),
    author: person(author),
    committer: person(committer),
  };
}
