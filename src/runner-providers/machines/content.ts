// The contents of images: copies of the folders of runners.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Captured } from '#runner-providers/provider.ts';

const gibibyte = 2 ** 30;
/** Contents younger than this may belong to an image that is being published. */
const minAgeMs = 60 * 60_000;

/** How a kind of machine handles folders that jobs have written. */
export type FolderTools = {
  /** Copies a folder to a path that doesn't exist. Symbolic links are copied as links. */
  copy(from: string, to: string): Promise<void>;
  /** Removes a folder, if it exists. */
  remove(folder: string): Promise<void>;
  /** The size of a folder in bytes. */
  sizeOf(folder: string): Promise<number>;
};

/** The id of a content. The same text has the same id. */
export function contentIdOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

const isContent = (name: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(name);

/** Copies a working folder to the images folder, unless it already exists there. */
export async function captureFolder(
  { copy, remove, sizeOf }: FolderTools,
  { images, work, content = randomUUID() }: { images: string; work: string; content?: string | undefined },
): Promise<Captured> {
  if (!(await stat(join(images, content)).catch(() => undefined))) {
    const draft = join(images, `${content}.part`);
    await mkdir(images, { recursive: true });
    await remove(draft);
    await copy(work, draft);
    await rename(draft, join(images, content));
  }
  return { content, sizeGb: Math.max(1, Math.ceil((await sizeOf(join(images, content))) / gibibyte)) };
}

export async function removeContent({ remove }: FolderTools, images: string, content: string): Promise<void> {
  if (isContent(content)) await remove(join(images, content));
}

/** The contents older than `minAgeMs`. */
export async function listContents(images: string, now: number): Promise<string[]> {
  const names = await readdir(images).catch(() => []);
  const ages = await Promise.all(
    names.filter(isContent).map(async (name) => ({ name, changed: (await stat(join(images, name))).ctimeMs })),
  );
  return ages.filter(({ changed }) => now - changed > minAgeMs).map(({ name }) => name);
}
