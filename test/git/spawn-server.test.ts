// Programs that are started by another process: what they get, what is told of them, and what happens when that process ends.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { getPriority, tmpdir } from 'node:os';
import { buffer, text } from 'node:stream/consumers';
import { beforeAll, expect, test, vi } from 'vitest';
import { spawnProgram } from '#git/process/spawn-client.ts';
import { type Spawned, type SpawnOrder, spawnHere } from '#git/process/spawned.ts';

const order = (file: string, args: readonly string[], more: Partial<SpawnOrder> = {}): SpawnOrder => ({
  file,
  args,
  cwd: tmpdir(),
  env: { PATH: process.env.PATH },
  niceness: 0,
  channel: false,
  ...more,
});
const shell = (script: string, more: Partial<SpawnOrder> = {}): SpawnOrder => order('/bin/sh', ['-c', script], more);

/** The process that started a program. */
const parentOf = async (start: (given: SpawnOrder) => Spawned): Promise<number> =>
  Number(await text(start(shell('echo $PPID')).stdout));

const isServed = async (): Promise<boolean> => (await parentOf(spawnProgram)) !== process.pid;

beforeAll(() => vi.waitUntil(isServed, { timeout: 20_000 }));

test.each([
  ['a child of this process', spawnHere],
  ['a program of the spawn server', spawnProgram],
])('%s gets its input, arguments, folder and environment, and its exit is told', async (_, start) => {
  const input = randomBytes(3_000_000);
  const copied = start(order('cat', []));
  copied.stdin.end(input);
  expect((await buffer(copied.stdout)).equals(input)).toBe(true);
  expect(await copied.closed).toEqual({ code: 0, signal: null });

  const told = start(
    shell('pwd; echo "$NAME" "$1"; ps -o ni= -p $$; echo wrong >&2; exit 3', {
      env: { PATH: process.env.PATH, NAME: 'a b' },
      cwd: '/',
      niceness: 5,
    }),
  );
  told.stdin.end();
  const [output, errors] = await Promise.all([text(told.stdout), text(told.stderr)]);
  expect(output.split('\n').map((line) => line.trim())).toEqual(['/', 'a b', String(Math.max(5, getPriority())), '']);
  expect(errors).toBe('wrong\n');
  expect(await told.exited).toEqual({ code: 3, signal: null });

  const missing = start(order('no-such-program', []));
  expect(await missing.closed).toMatchObject({ code: null, error: { code: 'ENOENT' } });
  expect(await start(order('cat', [], { cwd: '/no/such/folder' })).closed).toMatchObject({ error: { code: 'ENOENT' } });
});

test.each([
  ['a child of this process', spawnHere],
  ['a program of the spawn server', spawnProgram],
])('%s is stopped with its group, at once or later', async (_, start) => {
  const atOnce = start(shell('sleep 100 & sleep 100'));
  atOnce.stop();
  expect(await atOnce.closed).toEqual({ code: null, signal: 'SIGTERM' });
  const later = start(shell('sleep 100 & echo $!; wait'));
  const [line] = await Promise.all([new Promise<Buffer>((resolve) => later.stdout.once('data', resolve))]);
  later.stop();
  expect(await later.exited).toMatchObject({ signal: 'SIGTERM' });
  const isRunning = () => {
    try {
      const state = execFileSync('ps', ['-o', 'stat=', '-p', line.toString().trim()], { encoding: 'utf8' });
      return !state.startsWith('Z');
    } catch {
      return false;
    }
  };
  await expect.poll(isRunning).toBe(false);
});

test.each([
  ['a child of this process', spawnHere],
  ['a program of the spawn server', spawnProgram],
])('%s talks over its channel in both directions', async (_, start) => {
  const asking = start(shell('echo question >&3; read -r word <&3; echo "$word"', { channel: true }));
  const question = await new Promise<Buffer>((resolve) => asking.channel?.once('data', resolve));
  expect(question.toString()).toBe('question\n');
  asking.channel?.write('answer\n');
  expect(await text(asking.stdout)).toBe('answer\n');
  expect(await asking.closed).toEqual({ code: 0, signal: null });
});

test('many programs at once get their own input each', async () => {
  const outputs = await Promise.all(
    Array.from({ length: 60 }, async (_, at) => {
      const started = spawnProgram(order('cat', []));
      started.stdin.end(`${at} `.repeat(20_000));
      return [at, await text(started.stdout), await started.closed] as const;
    }),
  );
  for (const [at, output, exit] of outputs) {
    expect(output === `${at} `.repeat(20_000), String(at)).toBe(true);
    expect(exit).toEqual({ code: 0, signal: null });
  }
});

test('where the spawn server ends, its programs count as failed, and the next ones are started anyway', async () => {
  const before = await parentOf(spawnProgram);
  const lost = spawnProgram(shell('echo here; cat'));
  await new Promise((resolve) => lost.stdout.once('data', resolve));
  process.kill(before, 'SIGKILL');
  expect(await lost.closed).toMatchObject({ code: null, error: { message: expect.stringContaining('has ended') } });
  lost.stop();
  expect(await text(spawnProgram(shell('echo again')).stdout)).toBe('again\n');
  await expect.poll(isServed, { timeout: 20_000 }).toBe(true);
});
