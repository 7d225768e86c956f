// A cache of the runners that poll this process.
import { LRUCache } from 'lru-cache';
import { ownedCaller } from '#access/rate-limits.ts';
import type { Db } from '#database/connect.ts';
import type { Caller } from '#lib/caller.ts';
import type { Id } from '#lib/id.ts';
import { hashToken } from '#lib/token.ts';
import { authenticateRunner, noteSeen, type RunnerRow } from '#resources/actions/runners/index.ts';
import { findRepository } from '#resources/repositories/repositories/index.ts';
import type { QueueWatch } from './queue-watch.ts';

/** Finds runners by their credentials, and records when they were last seen. */
export type KnownRunners = {
  /** The runner with this UUID and token; undefined if it doesn't exist. It is cached until the queue changes. */
  find(uuid: string, token: string): Promise<RunnerRow | undefined>;
  /** The caller that a runner's requests count against: they use the share of the account that owns the runner. */
  callerOf(runner: RunnerRow): Promise<Caller>;
  /** Records that a runner is online. */
  note(runner: RunnerRow): void;
  /** Writes the recorded times. */
  close(): Promise<void>;
};

/** In milliseconds: the precision of a runner's last-seen time, and how long recorded times wait to be written together. */
const seenEvery = 20_000;
const noteAfter = 5_000;
/** In milliseconds: after a longer silence, a runner is written immediately, so that it is online again. */
const silentAfter = 2 * seenEvery;
/** In milliseconds: how long the owner of a runner's repository is kept, which only a transfer changes. */
const ownerKeptFor = 10 * 60_000;

/**
 * An idle runner costs no statement. While the queue's version is the same, a known runner is unchanged, since changes of runners
 * and their groups change the version. The queue itself checks the rows of runners before it assigns a job.
 */
export function openKnownRunners({
  db,
  queue,
  clock,
}: {
  db: Db;
  queue: Pick<QueueWatch, 'version' | 'isLive'>;
  clock: () => Date;
}): KnownRunners {
  const known = new LRUCache<string, { readonly runner: RunnerRow; readonly version: bigint }>({ max: 10_000 });
  const owners = new LRUCache<Id<'runners'>, Id<'accounts'>>({ max: 10_000, ttl: ownerKeptFor });
  const writtenAt = new LRUCache<Id<'runners'>, number>({ max: 10_000 });
  const noted = new Set<Id<'runners'>>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  const write = (): Promise<unknown> => {
    clearTimeout(timer);
    timer = undefined;
    const ids = [...noted];
    noted.clear();
    const now = clock();
    for (const id of ids) writtenAt.set(id, now.getTime());
    const forget = (): void => {
      for (const id of ids) writtenAt.delete(id);
    };
    if (ids.length > 0) writing = writing.then(() => noteSeen(db, ids, now)).catch(forget);
    return writing;
  };
  /** @returns the time since a runner was last written, as far as this process knows; undefined before the first time */
  const silence = ({ id, seen_at }: RunnerRow): number | undefined => {
    const at = writtenAt.get(id) ?? seen_at?.getTime();
    return at === undefined ? undefined : clock().getTime() - at;
  };
  const note = (runner: RunnerRow): void => {
    if ((silence(runner) ?? seenEvery) < seenEvery) return;
    noted.add(runner.id);
    timer ??= setTimeout(write, noteAfter).unref();
  };

  return {
    async find(uuid, token) {
      const key = `${uuid} ${hashToken(token).toString('base64')}`;
      const version = queue.version();
      const found = known.get(key);
      if (found && found.version === version && queue.isLive()) {
        note(found.runner);
        return found.runner;
      }
      const runner = await authenticateRunner(db, uuid, token);
      if (!runner) {
        known.delete(key);
        return undefined;
      }
      known.set(key, { runner, version });
      note(runner);
      if ((silence(runner) ?? silentAfter) >= silentAfter) await write();
      return runner;
    },
    async callerOf({ id, organization_id, repository_id }) {
      const owner =
        organization_id ??
        owners.get(id) ??
        (repository_id === null ? undefined : (await findRepository(db, repository_id))?.owner_id);
      if (owner === undefined) return { key: `runner:${id}`, kind: 'signed_in' };
      owners.set(id, owner);
      return ownedCaller(`runner:${id}`, owner);
    },
    note,
    close: async () => {
      await write();
    },
  };
}
