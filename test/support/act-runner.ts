import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atEndOfFile } from './end-of-file.ts';

/**
 * An existing runner that supports the protocol. It isn't part of the project. Tests that need it are skipped if it is missing.
 */
export const actRunner = new URL('../../../shared/bin/act-runner', import.meta.url).pathname;

export const hasActRunner = existsSync(actRunner);
export const withoutActRunner = `act-runner is not beside the checkout (${actRunner})`;

const run = promisify(execFile);

/** A runner that works on this machine, without containers, until the end of the test file. */
export async function startActRunner(
  url: string,
  {
    token,
    name = 'r1',
    labels = ['ubuntu-latest:host'],
    ephemeral = false,
  }: { token: string; name?: string; labels?: readonly string[]; ephemeral?: boolean },
): Promise<{ stop: () => Promise<void>; log: () => string }> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-runner-'));
  const config = join(folder, 'config.yaml');
  await writeFile(
    config,
    JSON.stringify({
      log: { level: 'debug' },
      runner: {
        file: join(folder, '.runner'),
        fetch_interval: '100ms',
        fetch_timeout: '5s',
        state_report_interval: '300ms',
        shutdown_timeout: '1s',
      },
      host: { workdir_parent: join(folder, 'work') },
      cache: { enabled: false },
    }),
  );
  const env = { ...process.env, HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') };
  const given = ['--instance', url, '--token', token, '--name', name, '--labels', labels.join(',')];
  await run(actRunner, ['-c', config, 'register', '--no-interactive', ...given, ...(ephemeral ? ['--ephemeral'] : [])], {
    cwd: folder,
    env,
  });
  const child = spawn(actRunner, ['-c', config, 'daemon'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (log += text));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    // Ends its process group, which includes the running steps.
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  atEndOfFile(stop);
  return { stop, log: () => log };
}
