import type { BackgroundLoopContext } from '#jobs/background-loop.ts';
import { isRetryable } from './outcome.ts';
import { removeDeliveredHooks } from './retention.ts';
import type { WebhookSettings } from './settings.ts';
import { countFailures, type Sent, storeSent } from './store-sent.ts';

/** The limits on rows and bytes of replies in one statement, since its JSON is built in memory. */
const maxRows = 500;
const maxBytes = 2 * 1024 * 1024;

/** Stores outcomes in batches. The next statement stores outcomes that arrive while one runs. */
export function outcomeStore({ db, services, clock }: BackgroundLoopContext<{ readonly webhooks: WebhookSettings }>) {
  const waiting: Sent[] = [];
  let writing: Promise<void> | undefined;
  const pauses = services.webhooks.retries > 0 ? 'pause' : 'never pause';

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const sent = waiting.splice(0, batchSize(waiting));
      await storeSent(db, sent);
      if (sent.some(({ event }) => event === 'meta')) await removeDeliveredHooks(db);
      await countFailures(db, sent, { failed: ({ outcome }) => isRetryable(outcome), pauses, now: clock() });
    }
  };
  const flush = (): Promise<void> => {
    writing ??= write().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  return {
    /** The number of outcomes that aren't stored yet. */
    get waiting(): number {
      return waiting.length;
    },
    async add(sent: Sent): Promise<void> {
      waiting.push(sent);
      await flush();
    },
    flush,
  };
}

/** The number of outcomes for the next statement. */
function batchSize(waiting: readonly Sent[]): number {
  let bytes = 0;
  const firstBeyond = waiting.findIndex(({ outcome }, index) => {
    bytes += outcome.body?.length ?? 0;
    return index > 0 && (index >= maxRows || bytes > maxBytes);
  });
  return firstBeyond === -1 ? waiting.length : firstBeyond;
}
