// Whether a move is recorded already. Refs don't say which push moved them, and several pushes may want the same move. But the
// events of a ref are a chain, from value to value: where it ends at the ref's present value, nothing is left to record. Callers
// hold the lock of the repository, as everybody does who records.

import type { WriteScope } from '#endpoint/scope.ts';
import type { RefMove } from '#events/ref-moves.ts';
import type { Oid } from '#git/objects/oid.ts';
import { findRefOids } from '#git/refs/refs.ts';
import { repoOf } from '#git/store.ts';
import { resultsInRefs } from '#git/transport/receive-pack.ts';
import type { PushCommand } from '#git/transport/receive-request.ts';
import { gather } from '#lib/collections.ts';
import type { RepositoryId } from '#lib/id.ts';
import * as store from './store.ts';

/** Longer than any push takes, including its wait in the queue. No process works on an older intent. */
export const maxPushMs = 24 * 60 * 60 * 1000;

type About = {
  repository: RepositoryId;
  /** When the push began. */
  startedAt: Date;
};

/**
 * Where the events of refs end. Events from long before the push aren't read: a push begins soon after its client has read the
 * refs. An event has the time at which its own push began, which may be `maxPushMs` before it was recorded.
 */
const loadTips = (
  { tx }: WriteScope,
  { repository, startedAt }: About,
  refs: readonly string[],
): Promise<Map<string, Oid | null>> =>
  store.loadRecordedTips(tx, repository, { refs, since: new Date(startedAt.getTime() - 2 * maxPushMs) });

/** The commands of an unfinished push that are done according to the refs, and that nobody has recorded. */
export async function listUnrecorded(scope: WriteScope, about: About, commands: readonly PushCommand[]): Promise<PushCommand[]> {
  const results = await resultsInRefs(repoOf(scope.git, about.repository), commands, 'not done');
  const done = new Set(results.flatMap(({ ok, ref }) => (ok ? ref : [])));
  if (done.size === 0) return [];
  const tips = await loadTips(scope, about, [...done]);
  return commands.filter(({ ref, to }) => done.has(ref) && tips.get(ref) !== to);
}

/**
 * Those of some moves that nobody has recorded, though their commands are gone from the intent of the push that made them. The
 * commands were removed when the same move of another push was recorded. If that was an earlier move, the ref was set back since:
 * its events end where this move began, and the ref has left that value.
 */
export async function listMadeLater(scope: WriteScope, about: About, moves: readonly RefMove[]): Promise<RefMove[]> {
  if (moves.length === 0) return [];
  const tips = await loadTips(scope, about, gather(moves, 'ref'));
  const setBack = moves.filter(({ ref, before }) => tips.get(ref) === before);
  if (setBack.length === 0) return [];
  const present = await findRefOids(repoOf(scope.git, about.repository), gather(setBack, 'ref'));
  return setBack.filter(({ ref, before }) => (present.get(ref) ?? null) !== before);
}
