// Files with JSON by which the processes of a machine talk to each other.
import { readFile, rename, writeFile } from 'node:fs/promises';

/** Reads an object from a file; undefined if the file is missing or incomplete. */
export async function readJson(file: string): Promise<Record<string, unknown> | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined; // the file is missing or being written
  }
}

/** Writes a file atomically. */
export async function writeJson(file: string, value: object): Promise<void> {
  await writeFile(`${file}.part`, JSON.stringify(value));
  await rename(`${file}.part`, file);
}
