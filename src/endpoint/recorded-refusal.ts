// Refusals that leave a record, although they roll back the change that they refuse.
import { change } from '#database/connect.ts';
import { Refusal, type RefusalKind } from '#lib/refusal.ts';
import { type Scope, type WriteScope, writeScope } from './scope.ts';

/** A refusal with a record. The record is written after the refused change has been rolled back. */
export class RecordedRefusal extends Refusal {
  readonly record: (scope: WriteScope) => Promise<void>;

  constructor(kind: RefusalKind, message: string, record: (scope: WriteScope) => Promise<void>) {
    super(kind, message);
    this.record = record;
  }
}

/** Runs a change, and records its refusal if it has one. */
export async function recordingRefusals<T>(scope: Scope, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof RecordedRefusal) await change(scope.db, (tx) => error.record(writeScope(scope, tx)));
    throw error;
  }
}
