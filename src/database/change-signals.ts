// Signals that something changed which people may be looking at, such as `job:12`, to all processes with PostgreSQL's NOTIFY. As
// with `work-signals.ts`, signals are sent after commits, and together. A lost signal only causes a delay: whoever listens also
// looks again at intervals.
import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';
import type { Db, Tx } from './connect.ts';

/** PostgreSQL's channel. Its messages are subjects, separated by commas. */
export const changesChannel = 'hearth_changes';

/** A kind and an id, such as `run:5`. */
export type ChangedSubject = `${string}:${number}`;

/** Milliseconds between two signals of one process. */
const signalEveryMs = 250;
/** PostgreSQL allows 8,000 bytes for a message. */
const longestMessage = 7_500;

const inTransaction = new WeakMap<Tx, Set<ChangedSubject>>();

/** Signals the change of a subject after the transaction is committed. */
export function changedAfter(tx: Tx, subject: ChangedSubject): void {
  const subjects = inTransaction.get(tx) ?? new Set();
  inTransaction.set(tx, subjects.add(subject));
}

type Signals = { readonly waiting: Set<ChangedSubject>; timer: NodeJS.Timeout | undefined };
const signals = new WeakMap<Db, Signals>();

/** Runs a function outside the async context of a request, such as its count of statements. */
const detached = AsyncLocalStorage.snapshot();

/** Sends the signals of a committed transaction. */
export function sendChanges(db: Db, tx: Tx | undefined): void {
  const subjects = tx && inTransaction.get(tx);
  if (subjects) signalChanges(db, [...subjects]);
}

/** Signals changes that are committed: immediately, or together with others of the next milliseconds. */
export function signalChanges(db: Db, subjects: readonly ChangedSubject[]): void {
  const own = signals.get(db) ?? { waiting: new Set(), timer: undefined };
  signals.set(db, own);
  for (const subject of subjects) own.waiting.add(subject);
  if (own.timer === undefined) detached(() => send(db, own));
}

function send(db: Db, own: Signals): void {
  const messages = messagesOf(own.waiting);
  own.waiting.clear();
  own.timer = setTimeout(() => {
    own.timer = undefined;
    if (own.waiting.size > 0) send(db, own);
  }, signalEveryMs);
  own.timer.unref();
  sql`select pg_notify(${changesChannel}, message) from unnest(${messages}::text[]) as given (message)`
    .execute(db)
    .catch(() => undefined);
}

function messagesOf(subjects: Iterable<ChangedSubject>): string[] {
  const messages: string[] = [];
  for (const subject of subjects) {
    const last = messages.at(-1);
    if (last !== undefined && last.length + subject.length < longestMessage) messages[messages.length - 1] = `${last},${subject}`;
    else messages.push(subject);
  }
  return messages;
}
