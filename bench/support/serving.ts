import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The checkout of this file. */
export const presentCheckout = join(import.meta.dirname, '../..');

/** A `hearth serve` in a separate process, as users start it. */
export type Serving = { url: string; process: ChildProcess; stop(): Promise<void> };

/**
 * Starts a server on a free port, with rate limits off.
 *
 * @param options `within`: a command with arguments that starts the server, for example with limited memory; `checkout`: the
 * folder of another checkout to start
 */
export async function startServing(
  data: string,
  {
    env = {},
    within = [],
    checkout = presentCheckout,
  }: { env?: Record<string, string>; within?: readonly string[]; checkout?: string } = {},
): Promise<Serving> {
  const serve = [
    join(checkout, 'hearth'),
    'serve',
    '--port',
    '0',
    '--ssh-port',
    'off',
    '--data',
    data,
    '--log',
    'error',
    '--rate-limits',
    'off',
  ];
  const [program = '', ...args] = [...within, ...serve];
  const child = spawn(program, args, {
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...process.env, HEARTH_PAGES_PORT: 'off', ...env },
  });
  let said = '';
  for await (const chunk of child.stderr) {
    said += chunk;
    const url = /listens on (\S+)/.exec(said)?.[1];
    if (!url) continue;
    child.stderr.resume();
    return {
      url,
      process: child,
      async stop() {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      },
    };
  }
  throw new Error(`Hearth did not start: ${said}`);
}
