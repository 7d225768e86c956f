import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const entry = join(import.meta.dirname, '../../src/cli/hearth.ts');

/** A `hearth serve` in a process of its own, as users start it. */
export type Serving = { url: string; process: ChildProcess; stop(): Promise<void> };

/**
 * Starts a server on a free port, with the rate limits off.
 *
 * @param options `within`: a command, with its arguments, that starts the server, as one that limits its memory
 */
export async function startServing(
  data: string,
  { env = {}, within = [] }: { env?: Record<string, string>; within?: readonly string[] } = {},
): Promise<Serving> {
  const serve = [process.execPath, entry, 'serve', '--port', '0', '--data', data, '--log', 'error', '--rate-limits', 'off'];
  const [program = process.execPath, ...args] = [...within, ...serve];
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'pipe'], env: { ...process.env, ...env } });
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
