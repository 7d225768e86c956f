import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A request that is sent again and again. */
export type Sent = { method: string; url: string; token: string; body?: string; etag?: string };
/** What a client process is to send, and how often; over so many connections at once. `urls` are sent in turns in the place of one. */
export type Load = Sent & { requests: number; connections: number; urls?: readonly string[] };
/** Milliseconds of each request, and of all of them by the clock. */
export type Took = { times: number[]; milliseconds: number };
/** What a client process replies. */
export type Answer = Took | { failed: string };

/** The headers of a request, such as every server of the API takes them. */
export const headersOf = ({ token, body, etag }: Pick<Sent, 'token' | 'body' | 'etag'>): Record<string, string> => ({
  accept: 'application/json',
  authorization: `Bearer ${token}`,
  'user-agent': 'bench',
  ...(etag === undefined ? {} : { 'if-none-match': etag }),
  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
});

/** A request of a load was not answered, or by an error. */
export class FailedLoad extends Error {}

/** Sends loads from a process of its own, one after the other. */
export type Client = Disposable & { measure(load: Load): Promise<Took> };

export function startClient(): Client {
  const child = fork(join(import.meta.dirname, 'client.ts'));
  const ended = once(child, 'exit').then(() => {
    throw new Error('The client process has ended');
  });
  ended.catch(() => undefined); // told to who measures
  return {
    async measure(load) {
      child.send(load);
      const [answer] = (await Promise.race([once(child, 'message'), ended])) as [Answer];
      if ('failed' in answer) throw new FailedLoad(answer.failed);
      return answer;
    },
    [Symbol.dispose]() {
      if (child.connected) child.disconnect();
    },
  };
}
