import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './support.ts';

const entry = join(import.meta.dirname, '../../src/cli/hearth.ts');

test('the demo leaves nothing behind, though its reader goes away', { timeout: 120_000 }, async () => {
  const folder = await temporaryFolder();
  const child = spawn(process.execPath, [entry, 'demo'], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [first] = await once(child.stdout, 'data');
  child.stdout.destroy();
  const [code] = await once(child, 'exit');
  expect(String(first)).toMatch(/^\n# A public repository/);
  expect([code, await readdir(folder)]).toEqual([0, []]);
});
