import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const entry = join(import.meta.dirname, '../../src/cli/hearth.ts');
/** No setting of the machine that runs the tests may reach them. */
const bare = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(HEARTH_|DATABASE_URL)/.test(name)));

type Run = { code: number; out: string; err: string };

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** Runs `hearth` as its users do, to its end. */
export function hearth(args: string[], env: Record<string, string> = {}): Promise<Run> {
  return new Promise((resolve) => {
    execFile(process.execPath, [entry, ...args], { env: { ...bare, ...env }, timeout: 200_000 }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    );
  });
}

/** Starts `hearth` without waiting for its end; it is killed with the test. */
export function hearthProcess(args: string[]): ChildProcess {
  const child = spawn(process.execPath, [entry, ...args], { env: bare, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

export type Server = { url: string; process: ChildProcess; log(): string; end(signal?: NodeJS.Signals): Promise<number | null> };

/** Starts `hearth serve` on a free port; it is ended with the test. */
export async function serve(data: string, args: string[] = [], env: Record<string, string> = {}): Promise<Server> {
  const child = spawn(process.execPath, [entry, 'serve', '--port', '0', '--data', data, ...args], {
    env: { ...bare, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  const { promise: listening, resolve, reject } = Promise.withResolvers<string>();
  const read = (chunk: Buffer): void => {
    log += chunk.toString();
    const url = /^Hearth listens on (\S+)/m.exec(log)?.[1];
    if (url) resolve(url);
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  ended.then(() => reject(new Error(`hearth serve ended before it listened: ${log}`)));
  const end = (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    child.kill(signal);
    return ended;
  };
  onTestFinished(async () => {
    await end();
  });
  return { url: await listening, process: child, log: () => log, end };
}

/** What a failed command said, which must be one line. */
export const complaint = ({ code, err }: Run): string => {
  if (code !== 1 || err.trim().includes('\n')) throw new Error(`expected one line and code 1, got ${code}: ${err}`);
  return err.trim();
};
