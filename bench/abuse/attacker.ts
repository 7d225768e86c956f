import { type IncomingMessage, request as send } from 'node:http';

/** The input of an attack: the server's address, and its possible targets. */
export type Target = {
  readonly url: string;
  /** A public repository with issues, files and history, as `owner/name`. */
  readonly repository: string;
  /** Its newest commit. */
  readonly head: string;
  /** A public repository whose small pack unpacks to an extreme number of trees. */
  readonly bomb: string;
  /** Tokens of accounts that attack while signed in, and a repository that each may write to. */
  readonly accounts: readonly { readonly token: string; readonly repository: string }[];
};

/** One of many concurrent attackers, with its own address. */
export type Attacker = {
  readonly number: number;
  readonly target: Target;
  readonly signal: AbortSignal;
  /** Undefined for an anonymous attacker. */
  readonly account: Target['accounts'][number] | undefined;
  /** Sends a request and reads its reply to the end. Resolves to 0 if the connection broke. */
  ask(method: string, path: string, options?: AskOptions): Promise<number>;
  /** Sends a request whose reply isn't read. */
  open(method: string, path: string, options?: AskOptions): Promise<IncomingMessage | undefined>;
};

export type AskOptions = {
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  /** Sends this part of a body that is never finished. */
  readonly unfinished?: Buffer;
};

/** The number of replies by status, with 0 for a broken connection. */
export type Statuses = Map<number, number>;

export function makeAttacker(given: Pick<Attacker, 'number' | 'target' | 'signal' | 'account'>, statuses: Statuses): Attacker {
  const { number, target, signal, account } = given;
  const note = (status: number): number => {
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return status;
  };
  const open: Attacker['open'] = (method, path, { headers = {}, body, unfinished } = {}) => {
    const { promise, resolve } = Promise.withResolvers<IncomingMessage | undefined>();
    const sent = send(new URL(path, target.url), {
      method,
      // Each attacker has its own address, like strangers from the network.
      localAddress: `127.0.1.${number + 1}`,
      headers: { ...(account ? { authorization: `Bearer ${account.token}` } : {}), ...headers },
      signal,
    });
    sent.once('response', resolve).on('error', () => resolve(undefined));
    if (unfinished) sent.write(unfinished);
    else sent.end(body);
    return promise;
  };
  return {
    ...given,
    open,
    async ask(method, path, options) {
      const reply = await open(method, path, options);
      if (!reply) return note(0);
      for await (const _ of reply.on('error', () => undefined)) if (signal.aborted) break;
      return note(reply.statusCode ?? 0);
    },
  };
}
