import type { Static } from 'typebox';
import type { SignedIn } from '#access/viewer.ts';
import type { Links } from '#endpoint/links.ts';
import { type GitError, isGitError } from '#git/errors.ts';
import type { Oid } from '#git/objects/oid.ts';
import { writeCommit, writeTag } from '#git/objects/write-objects.ts';
import type { GitRepository } from '#git/repo.ts';
import { invalid } from '#lib/refusal.ts';
import { emptyRepository, isEmpty } from '#resources/code/commits/index.ts';
import { identityOf } from '#resources/repositories/repositories/index.ts';
import { peopleOf, personOf } from './people.ts';
import type { NewCommit, NewTag } from './schemas.ts';

type Caller = { viewer: SignedIn; links: Links; now: Date };

/** Writes a commit object. No branch moves. */
export async function createCommit(gitRepository: GitRepository, body: Static<typeof NewCommit>, caller: Caller): Promise<Oid> {
  if (await isEmpty(gitRepository)) throw emptyRepository();
  const { message, signature } = body;
  const tree = body.tree.toLowerCase();
  const parents = body.parents.map((parent) => parent.toLowerCase());
  const wanted = { tree, parents, message, ...peopleOf(caller, body), ...(signature === undefined ? {} : { signature }) };
  return refuseInvalid('Commit', writeCommit(gitRepository, wanted));
}

/** Writes an annotated tag object. Its ref is created by another request. */
export async function createTag(
  gitRepository: GitRepository,
  body: Static<typeof NewTag>,
  { viewer, links, now }: Caller,
): Promise<Oid> {
  if (await isEmpty(gitRepository)) throw emptyRepository();
  const tagger = personOf('tagger', body.tagger, identityOf(viewer.account, links, now));
  const wanted = { name: body.tag, target: body.object.toLowerCase(), targetType: body.type, tagger, message: body.message };
  return refuseInvalid('Tag', writeTag(gitRepository, wanted));
}

/** Refuses a body that names a missing or unsuitable object by 422. In a path, a missing object is answered 404. */
async function refuseInvalid<T>(resource: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isGitError(error) || !['not-found', 'invalid'].includes(error.kind)) throw error;
    throw invalid(resource, fieldOf(error), 'invalid', error.message);
  }
}

const fieldOf = ({ message }: GitError): string => {
  if (/tree/.test(message)) return 'tree';
  return /commit/.test(message) ? 'parents' : 'object';
};
