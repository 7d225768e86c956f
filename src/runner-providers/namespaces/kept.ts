// What the job of a runner that generates images has left behind: its home, and its request to publish an image.
import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { contentIdOf, type FolderTools } from '#runner-providers/machines/content.ts';
import { readJson, writeJson } from '#runner-providers/machines/json-files.ts';
import { type PublishRequest, versionOf } from '#runner-providers/provider.ts';

const maxRequestBytes = 64 * 1_024;

/** A kept home; the request is there until it is answered. */
export type Kept = { readonly folder: string; readonly home: string; readonly request: PublishRequest | undefined };

const requestOf = (folder: string): string => join(folder, 'request.json');

/** What is kept of jobs, oldest first. */
export async function listKept(keep: string): Promise<Kept[]> {
  const names = (await readdir(keep).catch(() => [])).filter((name) => !name.endsWith('.part'));
  const found = await Promise.all(
    names.map(async (name) => {
      const folder = join(keep, name);
      const changed = (await stat(folder).catch(() => undefined))?.ctimeMs ?? 0;
      return { folder, home: join(folder, 'home'), request: requestFrom(await readJson(requestOf(folder))), changed };
    }),
  );
  return found.sort((a, b) => a.changed - b.changed);
}

const requestFrom = (value: Record<string, unknown> | undefined): PublishRequest | undefined =>
  value && { content: String(value.content), image: String(value.image ?? ''), version: versionOf(value.version) };

/** Keeps the home of a job that has ended, in the place of earlier ones whose requests were answered. */
export async function keepHome(
  { keep, home, publish, name }: { keep: string; home: string; publish: string; name: string },
  tools: FolderTools,
): Promise<void> {
  const draft = join(keep, `${name}.part`);
  await tools.remove(draft);
  await mkdir(draft, { recursive: true });
  const request = await readRequest(publish);
  if (request) await writeJson(requestOf(draft), { ...request, content: contentIdOf(`${name} ${JSON.stringify(request)}`) });
  await rename(home, join(draft, 'home'));
  const earlier = (await listKept(keep)).filter((one) => one.request === undefined);
  await rename(draft, join(keep, name));
  await Promise.all(earlier.map(({ folder }) => tools.remove(folder)));
}

export const removeRequest = ({ folder }: Kept): Promise<void> => rm(requestOf(folder), { force: true });

/** Reads what a job has written, which may be anything: a link to another file, a pipe, gigabytes. */
async function readRequest(file: string): Promise<Record<string, unknown> | undefined> {
  const opened = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined);
  if (!opened) return undefined;
  try {
    const found = await opened.stat();
    if (!found.isFile() || found.size > maxRequestBytes) return undefined;
    const value: unknown = JSON.parse(await opened.readFile('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined; // it isn't JSON
  } finally {
    await opened.close();
  }
}
