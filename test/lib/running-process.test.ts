import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hasEnded, isProcessRunning, pidExists, readProcessStatus, startOfProcess } from '#lib/running-process.ts';

/** Asks as an account that may not send signals to `pid`. The suite runs as root or as an ordinary user. */
function withoutRights<T>(ask: () => T): T {
  if (process.getuid?.() !== 0) return ask();
  process.seteuid?.(65_534);
  try {
    return ask();
  } finally {
    process.seteuid?.(0);
  }
}

async function startForeign(): Promise<number> {
  if (process.getuid?.() !== 0) return 1;
  const child = spawn('sleep', ['600'], { uid: 1, gid: 1, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child.pid ?? 0;
}

test('a process of another account is running', async () => {
  const pid = await startForeign();
  expect(withoutRights(() => [pidExists(pid), isProcessRunning(pid), isProcessRunning(pid, startOfProcess(pid))])).toEqual([
    true,
    true,
    true,
  ]);
});

test('a process that ended is not running, and another one with its id is not taken for it', async () => {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const start = startOfProcess(pid);
  expect([isProcessRunning(pid), isProcessRunning(pid, start), isProcessRunning(pid, null)]).toEqual([true, true, true]);
  if (start !== null) expect(isProcessRunning(pid, start - 1)).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect([pidExists(pid), isProcessRunning(pid), isProcessRunning(pid, start)]).toEqual([false, false, false]);
});

test.runIf(readProcessStatus(process.pid))('a process that nobody reaped has its id, and is not running', async () => {
  // The shell becomes another program, which doesn't know of its child.
  const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(line);
  await expect.poll(() => readProcessStatus(parent.pid ?? 0)?.name).toBe('sleep');
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => readProcessStatus(pid)).toSatisfy((status) => status !== undefined && hasEnded(status));
  expect([pidExists(pid), isProcessRunning(pid)]).toEqual([true, false]);
});

test('a name with parentheses and spaces does not hide the other fields', async () => {
  const child = spawn(process.execPath, ['-e', "process.title = 'a) Z (b'; setInterval(() => undefined, 1e6)"]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const pid = child.pid ?? 0;
  if (!readProcessStatus(pid)) return;
  await expect.poll(() => readProcessStatus(pid)?.name).toBe('a) Z (b');
  expect(readProcessStatus(pid)).toMatchObject({ parent: process.pid, group: readProcessStatus(process.pid)?.group });
});

const root = join(import.meta.dirname, '../..');
/** Signal 0, sent by Node or a shell: its error says "gone" and "not yours" alike. */
const probe = /\bkill\([^;]*?,\s*(?:0|'0')\s*\)|\bkill\s+-(?:0\b|s\s+0\b)/;

test('only one file probes a process by a signal', () => {
  const files = ['src', 'bench', 'tools', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|js|mjs|sh)$/.test(name) && !name.endsWith('running-process.test.ts'))
      .map((name) => `${folder}/${name}`),
  );
  expect(files.filter((name) => probe.test(readFileSync(join(root, name), 'utf8')))).toEqual(['src/lib/running-process.ts']);
  for (const text of ['process.kill(pid, 0)', "kill(-group, '0')", 'kill -0 "$2"', 'kill -s 0 1']) expect(text).toMatch(probe);
});
