import type { ObjectReader } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { objectUrl, type RepositoryUrls } from '#resources/code/commits/index.ts';
import { findEntry } from './entries.ts';

const maxBytes = 256 * 1024;

/** Where submodules come from, by their paths. */
export type Submodules = ReadonlyMap<string, string>;

/** The addresses of a commit's submodules, from its `.gitmodules`. */
export async function readSubmodules(reader: ObjectReader, commit: Oid): Promise<Submodules> {
  const file = await findEntry(reader, commit, '.gitmodules');
  if (!file || file.size > maxBytes) return new Map();
  const { data } = await reader.get(file.oid);
  return parseSubmodules(data.toString('utf8'));
}

/** The addresses of a submodule's commit, where it is in a repository of this server; nulls where it is elsewhere. */
export function submoduleLinks({ url, html }: RepositoryUrls, source: string | undefined, oid: Oid) {
  const name = source === undefined ? undefined : nameOnServer(html, source);
  if (name === undefined) return { git: null, html: null };
  const ofOther = (own: string): string => withoutName(own) + name;
  return { git: objectUrl({ url: ofOther(url) }, oid, 'tree'), html: `${ofOther(html)}/tree/${oid}` };
}

/** The address of a repository without its `owner/name`. */
const withoutName = (url: string): string => url.split('/').slice(0, -2).concat('').join('/');

/** The `owner/name` to which an address of Git leads, if that is on the server of the repository at `html`. */
function nameOnServer(html: string, source: string): string | undefined {
  const server = new URL(withoutName(html));
  // As `git@host:owner/name.git`, the short form of an ssh address.
  const [, shortHost, shortPath] = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.*)$/.exec(source) ?? [];
  const target = URL.parse(shortHost === undefined ? source : `ssh://${shortHost}/${shortPath}`, `${html}/`);
  if (!target) return undefined;
  const isWeb = /^https?:$/.test(target.protocol);
  const isHere = isWeb ? target.host === server.host : target.hostname === server.hostname;
  const path =
    isWeb && target.pathname.startsWith(server.pathname) ? target.pathname.slice(server.pathname.length) : target.pathname;
  return isHere ? /^\/?([^/]+\/[^/]+?)(?:\.git)?\/?$/.exec(path)?.[1] : undefined;
}

/** The addresses of a `.gitmodules` file by the paths of the submodules. */
function parseSubmodules(text: string): Submodules {
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
