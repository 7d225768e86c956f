import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Loading } from '#test/support/note-loading.ts';
import { temporaryFolder } from './support.ts';

const checkout = join(import.meta.dirname, '../..');
const notesTaker = new URL('../support/note-loading.ts', import.meta.url).href;
const program = 'src/cli/program.ts';
const description = 'Hearth: a self-hosted server';

/** A checkout with a cache of its own. */
async function copyOfHearth() {
  const root = join(await temporaryFolder(), 'hearth');
  const packages = join(root, 'node_modules');
  await mkdir(packages, { recursive: true });
  const parts = ['src', 'hearth', 'package.json', 'package-lock.json'];
  await Promise.all(parts.map((name) => cp(join(checkout, name), join(root, name), { recursive: true })));
  const installed = (await readdir(join(checkout, 'node_modules'))).filter((name) => name !== '.cache');
  await Promise.all(installed.map((name) => symlink(join(checkout, 'node_modules', name), join(packages, name))));
  const notes = join(root, 'loading.json');
  const hearth = async (...args: string[]) => {
    const env = { ...process.env, LOADING_NOTES: notes, NODE_OPTIONS: `--import=${notesTaker}` };
    const { promise, resolve } = Promise.withResolvers<{ code: number; out: string; err: string }>();
    execFile(join(root, 'hearth'), args, { env }, (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }));
    const result = await promise;
    const { files }: Loading = JSON.parse(await readFile(notes, 'utf8'));
    const from = files.some(({ path }) => path === join(root, program)) ? 'sources' : 'bundle';
    return { ...result, from };
  };
  const edit = async (file: string, change: (text: string) => string) =>
    writeFile(join(root, file), change(await readFile(join(root, file), 'utf8')));
  return { root, hearth, edit };
}

test('Hearth starts from the bundle, and from its sources while one of them is another', async () => {
  const { root, hearth, edit } = await copyOfHearth();
  expect(await hearth('--help')).toMatchObject({ code: 0, from: 'sources' });
  expect(await hearth('bundle-code')).toMatchObject({ code: 0, out: 'The code is bundled.\n', from: 'sources' });
  expect(await hearth('--help')).toMatchObject({ code: 0, out: expect.stringContaining(description), from: 'bundle' });

  await edit(program, (text) => text.replace('self-hosted', 'self-edited')); // of the same size
  expect(await hearth('--help')).toMatchObject({ out: expect.stringContaining('a self-edited server'), from: 'sources' });
  await edit(program, (text) => text.replace('self-edited', 'self-hosted'));
  await utimes(join(root, program), 1, 1);
  expect(await hearth('--help')).toMatchObject({ out: expect.stringContaining(description), from: 'bundle' });
  // Other versions of packages would be in another bundle.
  await edit('package-lock.json', (text) => `${text}\n`);
  expect(await hearth('--help')).toMatchObject({ code: 0, from: 'sources' });
});

test('a stack trace of the bundle names sources and their lines', async () => {
  const { root, hearth, edit } = await copyOfHearth();
  await edit('src/cli/commands/config.ts', (text) => text.replace('async (_flags, command) => {', '$&\n    failOnPurpose();'));
  await edit(
    'src/cli/commands/config.ts',
    (text) => `${text}\nfunction failOnPurpose(): never {\n  throw new TypeError('on purpose');\n}\n`,
  );
  expect(await hearth('bundle-code')).toMatchObject({ code: 0 });
  const { code, err, from } = await hearth('config');
  expect([code, from]).toEqual([1, 'bundle']);
  const lines = (await readFile(join(root, 'src/cli/commands/config.ts'), 'utf8')).split('\n');
  const at = (text: string) => lines.findIndex((line) => line.includes(text)) + 1;
  expect(err.split('\n').slice(0, 3)).toEqual([
    'TypeError: on purpose',
    expect.stringMatching(`at failOnPurpose .*/hearth/src/cli/commands/config.ts:${at('throw new TypeError')}:9\\)$`),
    expect.stringMatching(`/hearth/src/cli/commands/config.ts:${at('failOnPurpose();')}:5\\)?$`),
  ]);
});
