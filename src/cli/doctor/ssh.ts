import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hostKeysOf } from '../data-folder.ts';
import type { Config } from '../settings.ts';
import type { Diagnosis } from './diagnosis.ts';

/** Checks that only their owner can read the server's SSH host keys, and lists them. */
export async function ssh({ data, sshPort }: Pick<Config, 'data' | 'sshPort'>): Promise<Diagnosis> {
  const folder = hostKeysOf(data);
  const names = await readdir(folder).catch(() => []);
  const keys = await Promise.all(names.map((name) => checkKey(join(folder, name))));
  const port = sshPort === 'off' ? 'off' : `port ${sshPort}`;
  const found = keys.length === 0 ? ['the host keys are made at the first start'] : keys.map(({ detail }) => detail);
  return { check: 'ssh', ok: keys.every(({ ok }) => ok), detail: [port, ...found].join('; ') };
}

async function checkKey(file: string): Promise<{ ok: boolean; detail: string }> {
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) return { ok: false, detail: `others can read ${file}: chmod 600 it` };
    const { readHostKey } = await import('#ssh-server/host-keys.ts');
    const { key, fingerprint } = readHostKey(await readFile(file, 'utf8'));
    return { ok: true, detail: `${key.split(' ')[0]} ${fingerprint}` };
  } catch (error) {
    return { ok: false, detail: `${file} can't be used: ${error instanceof Error ? error.message : error}` };
  }
}
