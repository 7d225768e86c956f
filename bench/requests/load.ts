import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A request that is sent repeatedly. */
export type Sent = { method: string; url: string; token: string; body?: string; etag?: string };
/**
 * The load for a client process: the request, how often to send it, and over how many concurrent connections. `urls` replace the
 * single URL and are sent in rotation.
 */
export type Load = Sent & { requests: number; connections: number; urls?: readonly string[] };
/** Milliseconds of each request, and the elapsed time of all of them. */
export type Took = { times: number[]; milliseconds: number };
/** The reply of a client process. */
export type Answer = Took | { failed: string };

/** The headers of a request, in the form that every server of the API accepts. */
export const headersOf = ({ token, body, etag }: Pick<Sent, 'token' | 'body' | 'etag'>): Record<string, string> => ({
  accept: 'application/json',
  authorization: `Bearer ${token}`,
  'user-agent': 'bench',
  ...(etag === undefined ? {} : { 'if-none-match': etag }),
  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
});

/** A request of a load wasn't answered, or was answered with an error. */
export class FailedLoad extends Error {}

/** Sends loads from a separate process, one after the other. */
export type Client = Disposable & { measure(load: Load): Promise<Took> };

export function startClient(): Client {
  const child = fork(join(import.meta.dirname, 'client.ts'));
  const ended = once(child, 'exit').then(() => {
    throw new Error('The client process has ended');
  });
  ended.catch(() => undefined); // the caller of `measure` gets this error
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
