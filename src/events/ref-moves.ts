import type { Event } from './record.ts';

/** One ref that a push moved. `before` is null for a new ref, `after` for a deleted one. */
export type RefMove = { ref: string; before: string | null; after: string | null; forced: boolean };

/** The public API's bounds: a push of more tags than this makes no events for tags; for branches see `eventsOfMoves`. */
const maxTags = 3;
const maxBranches = 5_000;

const isBranch = ({ ref }: RefMove): boolean => ref.startsWith('refs/heads/');
const isTag = ({ ref }: RefMove): boolean => ref.startsWith('refs/tags/');

/** Whether a ref is one of those that people push: a branch or a tag. */
export const isBranchOrTag = (move: RefMove): boolean => isBranch(move) || isTag(move);

/**
 * The events of refs that moved together: for each branch and tag `push`, and before it `create` if it is new or `delete` if it
 * was deleted. Of more branches than the bound, only the default branch gets its events, since the indexes follow that one.
 */
export function eventsOfMoves(
  about: Pick<Event, 'owner' | 'repository' | 'actor' | 'at'>,
  moves: readonly RefMove[],
  defaultBranch: string,
): Event[] {
  const branches = moves.filter(isBranch);
  const tags = moves.filter(isTag);
  const kept = branches.length > maxBranches ? branches.filter(({ ref }) => ref === `refs/heads/${defaultBranch}`) : branches;
  return [...kept, ...(tags.length > maxTags ? [] : tags)].flatMap((move): Event[] => {
    const { ref, before, after } = move;
    const push: Event = { ...about, kind: 'push', data: { moves: [move] } };
    if (before === null && after !== null) return [{ ...about, kind: 'create', data: { ref, oid: after } }, push];
    if (after === null && before !== null) return [{ ...about, kind: 'delete', data: { ref, oid: before } }, push];
    return [push];
  });
}
