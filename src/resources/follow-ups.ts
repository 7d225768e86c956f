// How families declare what has to follow a move of refs: it is stored before the refs move, and done in the transaction that
// records the move.
import type { RepositoryRow } from '#access/viewer.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import type { Id } from '#lib/id.ts';

/**
 * The data of each kind of follow-up, which are stored as JSON: an older version of the server may have stored them. Each family
 * adds its own kinds to this interface.
 */
// biome-ignore lint/suspicious/noEmptyInterface: families add to it
export interface FollowUpData {}

export type FollowUpKind = keyof FollowUpData;

/** Something that has to follow a move of refs. */
export type FollowUp<Kind extends FollowUpKind = FollowUpKind> = {
  [K in Kind]: { readonly kind: K; readonly data: FollowUpData[K] };
}[Kind];

/** A move that is being recorded: its repository, whose row is locked, who moved the refs, and the time of its events. */
export type FollowedMove = { readonly repo: RepositoryRow; readonly actor: Id<'accounts'> | undefined; readonly now: Date };

/**
 * Does what follows a move, once. First it locks the rows that it is going to change and that are locked before their repository
 * everywhere. What it returns is called after the repository is locked and the move is recorded, in the same transaction.
 */
type FollowUpHandler<Kind extends FollowUpKind> = (
  scope: WriteScope,
  data: FollowUpData[Kind],
) => Promise<(move: FollowedMove) => Promise<void>>;

/** The handlers of some kinds of follow-ups. */
export type FollowUps<Kind extends FollowUpKind = FollowUpKind> = { readonly [K in Kind]: FollowUpHandler<K> };

declare module '#endpoint/services.ts' {
  interface CoreServices {
    /** Does what follows moves of refs. */
    readonly followUps: FollowUps;
  }
}
