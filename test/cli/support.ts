import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openInstallation } from '#cli/installation.ts';
import { run } from '#cli/program.ts';
import { readConfig } from '#cli/settings.ts';
import { testDatabase } from '#test/support/database.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';

const entry = join(import.meta.dirname, '../../src/cli/hearth.ts');
/** No setting of the machine that runs the tests may reach them. */
const bare: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(HEARTH_|AWS_|DATABASE_URL)/.test(name))),
  // Servers of several tests run at once, on one machine; those that want the port say so.
  HEARTH_SSH_PORT: 'off',
  HEARTH_PAGES_PORT: 'off',
};

type Run = { code: number; out: string; err: string };

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

let prepared: Promise<string> | undefined;

/** A data folder whose own PostgreSQL is set up already, as a copy of one that is made once for a test file. */
export async function preparedFolder(): Promise<string> {
  prepared ??= prepareFolder();
  const [made, folder] = [await prepared, await temporaryFolder()];
  execFileSync('cp', ['-a', `${made}/.`, folder]);
  return folder;
}

async function prepareFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-cli-'));
  atEndOfFile(async () => {
    prepared = undefined;
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const { close } = await openInstallation(readConfig({ data: folder }, {}).config, 'command');
  await close();
  return folder;
}

/** A data folder, and the environment that names a database of the tests' PostgreSQL for it. `run` runs a command there. */
export type Installation = { data: string; env: { DATABASE_URL: string }; run(...args: string[]): Promise<Run> };

/** An installation of which nothing but the data folder is to be set up. */
export async function installation(): Promise<Installation> {
  const [data, database] = [await temporaryFolder(), await testDatabase()];
  onTestFinished(() => database.close());
  const { address } = database;
  if ('url' in address) throw new Error('The PostgreSQL of the tests answers on a socket');
  const { user, database: name, socket } = address;
  const env = { DATABASE_URL: `postgres://${user}@localhost/${name}?host=${encodeURIComponent(socket)}` };
  return { data, env, run: (...args) => command([...args, '--data', data], env) };
}

/** Runs a command in this process, which starts no Node; nothing of it stays here. */
export async function command(args: string[], env: Record<string, string> = {}): Promise<Run> {
  const [out, err] = [captured(process.stdout), captured(process.stderr)];
  const before = { env: process.env, exitCode: process.exitCode };
  const signals = ['SIGTERM', 'SIGINT'].map((name) => ({ name, listeners: process.listeners(name as NodeJS.Signals) }));
  process.env = { ...bare, ...env };
  process.exitCode = 0;
  try {
    await run(args);
    return { code: Number(process.exitCode), out: out.text(), err: err.text() };
  } finally {
    out.release();
    err.release();
    Object.assign(process, before);
    for (const { name, listeners } of signals)
      for (const listener of process.listeners(name as NodeJS.Signals))
        if (!listeners.includes(listener)) process.removeListener(name, listener);
  }
}

/** Takes what is written to a stream, until it is released. */
function captured(stream: NodeJS.WriteStream): { text(): string; release(): void } {
  const { write } = stream;
  let text = '';
  stream.write = (chunk: string | Uint8Array) => {
    text += String(chunk);
    return true;
  };
  return {
    text: () => text,
    release: () => {
      stream.write = write;
    },
  };
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
export function hearthProcess(args: string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [entry, ...args], { env: { ...bare, ...env }, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

export type Server = { url: string; process: ChildProcess; log(): string; end(signal?: NodeJS.Signals): Promise<number | null> };

type Started = readonly [command: string, ...args: string[]];

/** How the package starts a server, by its script. */
export const byNpm: Started = ['npm', 'start', '--'];

/** Starts `hearth serve` on a free port; it is ended with the test. */
export async function serve(
  data: string,
  args: string[] = [],
  env: Record<string, string> = {},
  [start, ...before]: Started = [process.execPath, entry, 'serve'],
): Promise<Server> {
  const child = spawn(start, [...before, '--port', '0', '--data', data, ...args], {
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
  // Only a server that ends by itself stops its own PostgreSQL.
  onTestFinished(async () => {
    await end(env.DATABASE_URL ? 'SIGKILL' : 'SIGTERM');
  });
  return { url: await listening, process: child, log: () => log, end };
}

/** What a failed command said, which must be one line. */
export const complaint = ({ code, err }: Run): string => {
  if (code !== 1 || err.trim().includes('\n')) throw new Error(`expected one line and code 1, got ${code}: ${err}`);
  return err.trim();
};
