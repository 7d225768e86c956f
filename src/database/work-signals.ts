// Signals background work to all processes with PostgreSQL's NOTIFY. Signals are sent after commits and not within them, since
// PostgreSQL commits notifying transactions one by one. A lost signal only causes a delay, because workers also poll.
import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';
import type { Db, Tx } from './connect.ts';

export const workKinds = ['events', 'deliveries', 'assistant'] as const;
export type WorkKind = (typeof workKinds)[number];

/** PostgreSQL's channel. Its messages are kinds of work, separated by commas. */
export const workChannel = 'hearth_work';

/** Milliseconds between two signals of one process. */
const signalEveryMs = 50;

const inTransaction = new WeakMap<Tx, Set<WorkKind>>();

/** Signals this kind of work to all workers after the transaction is committed. */
export function signalAfter(tx: Tx, kind: WorkKind): void {
  const kinds = inTransaction.get(tx) ?? new Set();
  inTransaction.set(tx, kinds.add(kind));
}

type Signals = { readonly waiting: Set<WorkKind>; timer: NodeJS.Timeout | undefined };
const signals = new WeakMap<Db, Signals>();

/** Runs a function outside the async context of a request, such as its count of statements. */
const detached = AsyncLocalStorage.snapshot();

/** Sends the signals of a committed transaction: immediately, or together with others of the next milliseconds. */
export function sendSignals(db: Db, tx: Tx | undefined): void {
  const kinds = tx && inTransaction.get(tx);
  if (!kinds) return;
  const own = signals.get(db) ?? { waiting: new Set(), timer: undefined };
  signals.set(db, own);
  for (const kind of kinds) own.waiting.add(kind);
  if (own.timer === undefined) detached(() => send(db, own));
}

function send(db: Db, own: Signals): void {
  const message = [...own.waiting].join();
  own.waiting.clear();
  own.timer = setTimeout(() => {
    own.timer = undefined;
    if (own.waiting.size > 0) send(db, own);
  }, signalEveryMs);
  own.timer.unref();
  sql`select pg_notify(${workChannel}, ${message})`.execute(db).catch(() => undefined);
}
