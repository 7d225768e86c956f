import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '#server/hearth.ts';
import { type HostKeyKind, hostKeyKinds, newHostKey, readHostKey } from '#ssh-server/host-keys.ts';
import { atEndOfFile } from '#test/support/end-of-file.ts';
import { fresh, type World, world } from '#test/support/world.ts';

/** Whether the programs of OpenSSH are there. */
export const hasOpenSsh = ['ssh', 'ssh-keygen', 'ssh-keyscan', 'ssh-agent', 'ssh-add'].every((program) => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
});

export type Ran = { code: number; out: string; err: string };

/** A key pair of OpenSSH in a file. */
export type KeyFile = { file: string; line: string };

/** A world with Git over SSH, and OpenSSH's own programs, which read no configuration of the machine. */
export async function sshWorld(settings: Partial<Settings> = {}) {
  const kinds = Object.keys(hostKeyKinds) as HostKeyKind[];
  const here: World = await world({
    ssh: { port: 0, hostKeys: await Promise.all(kinds.map(async (kind) => readHostKey(await newHostKey(kind)))) },
    ...settings,
  });
  const folder = mkdtempSync(join(tmpdir(), 'hearth-ssh-'));
  atEndOfFile(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const port = here.ssh?.port ?? 0;
  const client = await here.as(undefined);
  const { body } = await client.get('/meta');
  const known = join(folder, 'known_hosts');
  writeFileSync(known, (body.ssh_keys as string[]).map((key) => `[127.0.0.1]:${port} ${key}\n`).join(''));

  const run = (program: string, args: readonly string[], { env = {}, cwd = folder, input }: RunOptions = {}): Promise<Ran> => {
    const { promise, resolve } = Promise.withResolvers<Ran>();
    const child = execFile(program, args, { cwd, env: { ...bare, ...env }, timeout: 60_000 }, (error, out, err) =>
      resolve({ code: error ? (typeof error.code === 'number' ? error.code : 255) : 0, out, err }),
    );
    child.stdin?.on('error', () => undefined);
    if (input === undefined) child.stdin?.end();
    else child.stdin?.end(input);
    return promise;
  };
  const options = (key?: KeyFile, more: readonly string[] = []): string[] => [
    ...more,
    ...['-F', '/dev/null', '-o', `UserKnownHostsFile=${known}`, '-o', 'GlobalKnownHostsFile=/dev/null'],
    ...['-o', 'StrictHostKeyChecking=yes', '-o', 'BatchMode=yes', '-o', 'IdentitiesOnly=yes', '-p', String(port)],
    ...(key ? ['-i', key.file] : []),
  ];
  return {
    here,
    folder,
    port,
    known,
    run,
    /** A new key pair. */
    keyFile(type = 'ed25519', bits?: number): KeyFile {
      const file = join(folder, fresh('key'));
      execFileSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', 'test', ...(bits ? ['-b', String(bits)] : []), '-f', file]);
      return { file, line: execFileSync('cat', [`${file}.pub`], { encoding: 'utf8' }).trim() };
    },
    options,
    /** `ssh git@…` with a command, or none. */
    ssh: (key: KeyFile | undefined, command: readonly string[] = [], more: readonly string[] = [], given: RunOptions = {}) =>
      run('ssh', [...options(key, more), '-T', 'git@127.0.0.1', ...command], given),
    /** `git` with this key. */
    git: (key: KeyFile, args: readonly string[], given: RunOptions = {}) =>
      run('git', args, { ...given, env: { GIT_SSH_COMMAND: ['ssh', ...options(key)].join(' '), ...given.env } }),
    address: (owner: string, name: string): string => `ssh://git@127.0.0.1:${port}/${owner}/${name}.git`,
  };
}

type RunOptions = { env?: Record<string, string>; cwd?: string; input?: string };

/** The environment of programs: nothing of the person who runs the tests. */
const bare = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};
