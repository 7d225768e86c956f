import type { ObjectReader } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { findEntry } from './entries.ts';

const maxBytes = 256 * 1024;

/** The address of the submodule at a path, from the commit's `.gitmodules`; '' where the file doesn't name it. */
export async function submoduleUrl(reader: ObjectReader, commit: Oid, path: string): Promise<string> {
  const file = await findEntry(reader, commit, '.gitmodules');
  if (!file || file.size > maxBytes) return '';
  const { data } = await reader.get(file.oid);
  return parseSubmodules(data.toString('utf8')).get(path) ?? '';
}

/** The addresses of a `.gitmodules` file by the paths of the submodules. */
function parseSubmodules(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const section of text.split(/^[ \t]*\[/m).slice(1)) {
    const path = settingOf(section, 'path');
    const url = settingOf(section, 'url');
    if (section.startsWith('submodule') && path !== undefined && url !== undefined) found.set(path, url);
  }
  return found;
}

// No two adjacent parts of the pattern both match blanks, which would take quadratic time on a crafted file.
const settingOf = (section: string, key: string): string | undefined =>
  new RegExp(`^[ \\t]*${key}[ \\t]*=(.*)$`, 'im')
    .exec(section)?.[1]
    ?.trim()
    .replace(/^"(.*)"$/, '$1');
