import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openTarWriter } from '#resources/platform/migrations/archive/tar-writer.ts';
import { folderOfTest } from './support.ts';

const now = new Date('2026-01-01T00:00:00Z');

test('a file that can not be written fails each entry with its reason, and nothing else', async () => {
  await using tar = await openTarWriter(join(await folderOfTest(), 'none', 'archive.tar.gz'), now);
  const bytes = Buffer.alloc(4 * 1024 * 1024);
  await expect(
    (async () => {
      for (let at = 0; at < 20; at++) await tar.addBytes(`${at}`, bytes);
      await tar.finish();
    })(),
  ).rejects.toThrow(/ENOENT/);
  await expect(tar.addBytes('late', bytes)).rejects.toThrow(/ENOENT/);
});

test('what is missing fails the entry, and the file is closed without an end', async () => {
  const folder = await folderOfTest();
  const file = join(folder, 'archive.tar.gz');
  {
    await using tar = await openTarWriter(file, now);
    await tar.addBytes('first', Buffer.from('one'));
    await expect(tar.addTree('tree', join(folder, 'none'))).rejects.toThrow(/ENOENT/);
  }
  await expect(readFile(file).then((bytes) => gunzipSync(bytes))).rejects.toThrow();
});

test('empty files and folders are entries too', async () => {
  const folder = await folderOfTest();
  await mkdir(join(folder, 'tree', 'empty'), { recursive: true });
  await writeFile(join(folder, 'tree', 'nothing'), '');
  const file = join(folder, 'archive.tar.gz');
  await using tar = await openTarWriter(file, now);
  await tar.addTree('tree', join(folder, 'tree'));
  await tar.finish();
  const text = gunzipSync(await readFile(file)).toString('latin1');
  expect(['tree/', 'tree/empty/', 'tree/nothing'].every((name) => text.includes(`${name}\0`))).toBe(true);
});
