import type { Event } from './record.ts';

/** One ref that a push moved. `before` is null for a new ref, `after` for a deleted one. */
export type RefMove = { ref: string; before: string | null; after: string | null; forced: boolean };

/** The public API's limit: a push of more tags creates no events for tags. For branches see `eventsOfMoves`. */
const maxTags = 3;
const maxBranches = 5_000;

const isBranch = ({ ref }: RefMove): boolean => ref.startsWith('refs/heads/');
const isTag = ({ ref }: RefMove): boolean => ref.startsWith('refs/tags/');

/** Whether a ref is a branch or a tag. */
export const isBranchOrTag = (move: RefMove): boolean => isBranch(move) || isTag(move);

/**
 * The events of the refs that a push moved: `push` for each branch and tag, preceded by `create` if it is new or `delete` if it
 * was deleted. If a push moves more branches than the limit, only the default branch gets events, since search indexes need them.
 * `initial` marks the refs that a repository was created with.
 */
export function eventsOfMoves(
  about: Pick<Event, 'owner' | 'repository' | 'actor' | 'at'>,
  moves: readonly RefMove[],
  { defaultBranch, initial }: { defaultBranch: string; initial?: true },
): Event[] {
  const branches = moves.filter(isBranch);
  const tags = moves.filter(isTag);
  const recorded = branches.length > maxBranches ? branches.filter(({ ref }) => ref === `refs/heads/${defaultBranch}`) : branches;
  return [...recorded, ...(tags.length > maxTags ? [] : tags)].flatMap((move): Event[] => {
    const { ref, before, after } = move;
    const push: Event = { ...about, kind: 'push', data: { moves: [move], ...(initial ? { initial } : {}) } };
    if (before === null && after !== null) return [{ ...about, kind: 'create', data: { ref, oid: after } }, push];
    if (after === null && before !== null) return [{ ...about, kind: 'delete', data: { ref, oid: before } }, push];
    return [push];
  });
}
