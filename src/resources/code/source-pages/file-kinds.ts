import { endingsOf } from '#search/index.ts';

/** Types of pictures that browsers show. What is served as one of them never runs as a page. */
const pictures: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  gif: 'image/gif',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
};

const endingOf = (path: string): string => endingsOf(path.slice(path.lastIndexOf('/') + 1)).at(-1) ?? '';

/** The type of a picture, by its name; undefined for other files. */
export function pictureType(path: string): string | undefined {
  const ending = endingOf(path);
  return Object.hasOwn(pictures, ending) ? pictures[ending] : undefined;
}

/** Git's own rule: a file with a NUL among its first bytes isn't text. */
export const isBinary = (data: Buffer): boolean => data.subarray(0, 8_000).includes(0);

export const hasEnding = (path: string, ...endings: readonly string[]): boolean => endings.includes(endingOf(path));
