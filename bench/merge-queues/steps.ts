// Random steps on the merge queue of one repository, and a record of what was asked.
import { setTimeout as pause } from 'node:timers/promises';
import type { QueueRepository } from './server.ts';

/** A step is chosen by chance from these. */
const kinds = [
  ...(['open', 'jump', 'reenter', 'reenter', 'check', 'check', 'check', 'check', 'check'] as const),
  ...(['remove', 'amend', 'push', 'close', 'discard'] as const),
];

export type Entry = {
  readonly pull_request: { readonly number: number };
  readonly merge_group: { readonly head_sha: string } | null;
};

/** What the client of a queue asked for. Times are milliseconds. */
export type StepRecord = {
  /** The result of the check of each group, and when it was sent. */
  readonly reports: Map<string, { readonly passes: boolean; readonly at: number }>;
  /** When each pull request last entered, as far as that was acknowledged. */
  readonly entered: Map<number, number>;
  /** The commits that were pushed past the queue, as far as that was acknowledged. */
  readonly pushed: Set<string>;
  readonly counts: Record<(typeof kinds)[number] | 'refused' | 'unanswered', number>;
};

/** Whether the check of a commit passes: that of two thirds do. Asked again, it is the same. */
const passes = (sha: string): boolean => Number.parseInt(sha.slice(0, 6), 16) % 3 !== 0;

/** A generator of numbers below 1 that gives the same ones for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type QueueClient = {
  readonly record: StepRecord;
  /** Does one random step. */
  step(): Promise<void>;
  /** Reports success for all groups, until the queue is empty. */
  drain(): Promise<void>;
};

export function queueClient({ send }: QueueRepository, random: () => number): QueueClient {
  const counts = Object.fromEntries([...kinds, 'refused', 'unanswered'].map((kind) => [kind, 0])) as StepRecord['counts'];
  const record: StepRecord = { reports: new Map(), entered: new Map(), pushed: new Set(), counts };
  const pulls: number[] = [];
  let opened = 0;
  let files = 0;
  const one = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const queue = async (): Promise<Entry[] | undefined> =>
    (await send<{ entries: Entry[] }>('GET', '/merge-queues/main?per_page=100'))?.body.entries;

  async function report(sha: string, isGood = passes(sha)): Promise<void> {
    record.reports.set(sha, { passes: isGood, at: Date.now() });
    const reply = await send('POST', `/statuses/${sha}`, { state: isGood ? 'success' : 'failure', context: 'test' });
    if (reply?.status !== 201) record.reports.delete(sha);
  }

  async function enter(number: number, jump: boolean): Promise<void> {
    const reply = await send('PUT', `/pulls/${number}/queue-entry`, { jump });
    if (reply === undefined) counts.unanswered++;
    else if (reply.status === 201) record.entered.set(number, Date.now());
    // What conflicts with what was merged, is closed, has changed meanwhile or waits already can't enter.
    else if ([405, 409, 422].includes(reply.status)) {
      counts.refused++;
      if (reply.status === 405) await discard(number);
    } else throw new Error(`Entering was answered by ${reply.status}: ${JSON.stringify(reply.body)}`);
  }

  /** Closes a pull request, so that those that have left the queue don't stay open for ever. */
  async function discard(number: number): Promise<void> {
    pulls.splice(pulls.indexOf(number), 1);
    await send('PATCH', `/pulls/${number}`, { state: 'closed' });
  }

  async function open(jump: boolean): Promise<void> {
    const head = `topic-${opened++}`;
    const pull = await send<{ number: number; head: { sha: string } }>('POST', '/pulls', { title: head, head, base: 'main' });
    if (pull?.status !== 201) {
      counts.unanswered++;
      return;
    }
    pulls.push(pull.body.number);
    await send('POST', `/statuses/${pull.body.head.sha}`, { state: 'success', context: 'test' });
    await enter(pull.body.number, jump);
  }

  const write = (branch: string) => {
    const path = `written-${files++}-${Math.floor(random() * 1e9)}.txt`;
    return send<{ commit: { sha: string } }>('PUT', `/contents/${path}`, { message: 'Write', content: 'YQ==', branch });
  };

  /** Waits until some group of the queue has no result yet. */
  async function unreported(): Promise<string | undefined> {
    for (let round = 0; round < 100; round++) {
      const entries = await queue();
      const waiting = entries?.flatMap(({ merge_group: group }) => group?.head_sha ?? []);
      const sha = one(waiting?.filter((head) => !record.reports.has(head)) ?? []);
      if (sha !== undefined || entries?.length === 0) return sha;
      await pause(20);
    }
    return undefined;
  }

  return {
    record,
    async step() {
      const kind = one(kinds) ?? 'check';
      counts[kind]++;
      if (kind === 'open' || kind === 'jump') return open(kind === 'jump');
      if (kind === 'check') {
        const sha = await unreported();
        return sha === undefined ? undefined : report(sha);
      }
      if (kind === 'push') {
        const sha = (await write('main'))?.body.commit?.sha;
        if (sha !== undefined) record.pushed.add(sha);
        return;
      }
      if (kind === 'reenter') {
        const number = one(pulls);
        return number === undefined ? undefined : enter(number, false);
      }
      if (kind === 'discard') {
        const number = one(pulls);
        return number === undefined ? undefined : discard(number);
      }
      const entry = one((await queue()) ?? []);
      if (!entry) return;
      const { number } = entry.pull_request;
      if (kind === 'remove') await send('DELETE', `/pulls/${number}/queue-entry`);
      if (kind === 'close') await send('PATCH', `/pulls/${number}`, { state: 'closed' });
      if (kind === 'amend') {
        const pull = await send<{ head: { ref: string } }>('GET', `/pulls/${number}`);
        if (pull) await write(pull.body.head.ref);
      }
    },
    async drain() {
      for (;;) {
        const entries = await queue();
        if (entries?.length === 0) return;
        for (const { merge_group: group } of entries ?? [])
          if (group && !record.reports.has(group.head_sha)) await report(group.head_sha, true);
        await pause(50);
      }
    },
  };
}
