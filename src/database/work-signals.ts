// Signals that there is background work, sent by PostgreSQL's NOTIFY to all processes. They are sent after commits and not in them, since
// transactions that notify are committed one after the other. A signal that is lost only delays: workers also look by themselves.
import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';
import type { Db, Tx } from './connect.ts';

export const workKinds = ['events', 'deliveries'] as const;
export type WorkKind = (typeof workKinds)[number];

/** The channel of PostgreSQL. Its messages are kinds of work, separated by commas. */
export const workChannel = 'hearth_work';

/** Milliseconds between two signals of one process. */
const signalEveryMs = 50;

const inTransaction = new WeakMap<Tx, Set<WorkKind>>();

/** Signals this kind of work to all workers, once the transaction is committed. */
export function signalAfter(tx: Tx, kind: WorkKind): void {
  const kinds = inTransaction.get(tx) ?? new Set();
  inTransaction.set(tx, kinds.add(kind));
}

type Signals = { readonly waiting: Set<WorkKind>; timer: NodeJS.Timeout | undefined };
const signals = new WeakMap<Db, Signals>();

/** Runs a function without what belongs to a request, as the count of its statements. */
const detached = AsyncLocalStorage.snapshot();

/** Sends what a transaction has signalled, which is committed now: at once, or together with what comes within the next milliseconds. */
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
