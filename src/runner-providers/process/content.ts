import { createHash, randomUUID } from 'node:crypto';
import { cp, lstat, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Captured } from '#runner-providers/provider.ts';

const gibibyte = 2 ** 30;
/** Contents younger than this may belong to an image that is being published. */
const minAgeMs = 60 * 60_000;

/** The id of a content. The same text has the same id. */
export function contentIdOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

const isContent = (name: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(name);

/** Copies a working folder to the images folder, unless it already exists there. */
export async function captureFolder(images: string, work: string, content: string = randomUUID()): Promise<Captured> {
  if (!(await stat(join(images, content)).catch(() => undefined))) {
    const draft = join(images, `${content}.part`);
    await mkdir(images, { recursive: true });
    await rm(draft, { recursive: true, force: true });
    await copyFolder(work, draft);
    await rename(draft, join(images, content));
  }
  return { content, sizeGb: Math.max(1, Math.ceil((await sizeOf(join(images, content))) / gibibyte)) };
}

/** Copies a folder. Symbolic links are copied as links. */
export const copyFolder = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, verbatimSymlinks: true, force: true });

export async function removeContent(images: string, content: string): Promise<void> {
  if (isContent(content)) await rm(join(images, content), { recursive: true, force: true });
}

/** The contents older than `minAgeMs`. */
export async function listContents(images: string, now: number): Promise<string[]> {
  const names = await readdir(images).catch(() => []);
  const ages = await Promise.all(
    names.filter(isContent).map(async (name) => ({ name, changed: (await stat(join(images, name))).ctimeMs })),
  );
  return ages.filter(({ changed }) => now - changed > minAgeMs).map(({ name }) => name);
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async (file) => (await lstat(join(file.parentPath, file.name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
