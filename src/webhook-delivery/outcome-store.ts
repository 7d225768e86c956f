import type { BackgroundLoopContext } from '#jobs/background-loop.ts';
import { isWorthRetrying } from './outcome.ts';
import { removeToldHooks } from './retention.ts';
import type { WebhookSettings } from './settings.ts';
import { countFailures, type Sent, storeSent } from './store-sent.ts';

/** How many outcomes one statement stores, and about how many bytes of replies, since all of it passes through memory as JSON. */
const maxRows = 500;
const maxBytes = 2 * 1024 * 1024;

/** Stores outcomes in groups: those that come while a statement is running go together into the next. */
export function outcomeStore({ db, services, clock }: BackgroundLoopContext<{ readonly webhooks: WebhookSettings }>) {
  const waiting: Sent[] = [];
  let writing: Promise<void> | undefined;
  const pauses = services.webhooks.retries > 0 ? 'pause' : 'never pause';

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const sent = waiting.splice(0, groupSize(waiting));
      await storeSent(db, sent);
      if (sent.some(({ event }) => event === 'meta')) await removeToldHooks(db);
      await countFailures(db, sent, { failed: ({ outcome }) => isWorthRetrying(outcome), pauses, now: clock() });
    }
  };
  const flush = (): Promise<void> => {
    writing ??= write().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  return {
    /** How many outcomes wait to be stored. */
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

/** How many of the first go into one statement. */
function groupSize(waiting: readonly Sent[]): number {
  let bytes = 0;
  const past = waiting.findIndex(({ outcome }, index) => {
    bytes += outcome.body?.length ?? 0;
    return index > 0 && (index >= maxRows || bytes > maxBytes);
  });
  return past === -1 ? waiting.length : past;
}
