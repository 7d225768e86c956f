// The community files of a repository: its code of conduct, contributing guidelines and templates.
import { posix } from 'node:path';
import type { ObjectReader } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import { findEntry, followLink, isFile } from './entries.ts';

/** A file, or a folder of templates. */
export type CommunityFile = { path: string; isFolder: boolean };
export const communityKinds = ['code_of_conduct', 'contributing', 'issue_template', 'pull_request_template'] as const;
type CommunityKind = (typeof communityKinds)[number];
type CommunityFiles = Partial<Record<CommunityKind, CommunityFile>>;

/** The name of each file without its extension, and the files that a folder of this name must hold to be one of templates. */
const kinds: Record<CommunityKind, { name: RegExp; templates?: (name: string) => boolean }> = {
  code_of_conduct: { name: /^code[-_]of[-_]conduct(?:\.\w+)?$/i },
  contributing: { name: /^contributing(?:\.\w+)?$/i },
  issue_template: {
    name: /^issue_template(?:\.\w+)?$/i,
    // The configuration of the choice among templates is none itself.
    templates: (name) => /\.(?:md|ya?ml)$/i.test(name) && !/^config\.ya?ml$/i.test(name),
  },
  pull_request_template: { name: /^pull_request_template(?:\.\w+)?$/i, templates: (name) => /\.(?:md|txt)$/i.test(name) },
};

/** The community files of a commit: of `.github`, of the root or of `docs`, in this order, in upper or lower case. */
export async function findCommunityFiles(reader: ObjectReader, commit: Oid): Promise<CommunityFiles> {
  const found: CommunityFiles = {};
  for (const folder of await foldersOf(reader, commit)) {
    const entries = (await reader.getTree(folder.oid)).sort((one, other) => (one.name < other.name ? -1 : 1));
    for (const kind of communityKinds) {
      for (const entry of found[kind] ? [] : entries) {
        if (!kinds[kind].name.test(entry.name)) continue;
        found[kind] = await communityFile(reader, commit, kind, posix.join(folder.path, entry.name));
        if (found[kind]) break;
      }
    }
  }
  return found;
}

async function foldersOf(reader: ObjectReader, commit: Oid): Promise<{ path: string; oid: Oid }[]> {
  const root = await reader.findFolder(commit, '');
  if (!root) return [];
  const below = (await reader.getTree(root.oid)).filter(({ mode }) => mode === '040000');
  const named = (wanted: string) =>
    below.flatMap(({ name, oid }) => (name.toLowerCase() === wanted ? [{ path: name, oid }] : []));
  return [...named('.github'), { path: '', oid: root.oid }, ...named('docs')];
}

/** What is at a path, if it is a file, a link to one, or a folder with a template. */
async function communityFile(
  reader: ObjectReader,
  commit: Oid,
  kind: CommunityKind,
  path: string,
): Promise<CommunityFile | undefined> {
  const entry = await findEntry(reader, commit, path);
  if (entry?.mode === '040000') {
    const { templates } = kinds[kind];
    const held = templates ? await reader.getTree(entry.oid) : [];
    return templates && held.some((one) => isFile(one) && templates(one.name)) ? { path, isFolder: true } : undefined;
  }
  const file = entry?.mode === '120000' ? await followLink(reader, commit, entry) : entry;
  return file && isFile(file) ? { path: file.path, isFolder: false } : undefined;
}

/** Codes of conduct that many use, known by what their texts call themselves. */
const known = [
  { key: 'contributor_covenant', name: 'Contributor Covenant' },
  { key: 'citizen_code_of_conduct', name: 'Citizen Code of Conduct' },
  { key: 'django', name: 'Django Code of Conduct' },
] as const;
const otherCode = { key: 'other', name: 'Other' } as const;

/** Larger files aren't looked into. */
const maxBytes = 64 * 1024;

/** Which code of conduct a file holds. */
export async function recognizeCode(
  reader: ObjectReader,
  commit: Oid,
  path: string,
): Promise<(typeof known)[number] | typeof otherCode> {
  const entry = await findEntry(reader, commit, path);
  if (!entry || entry.size > maxBytes) return otherCode;
  const text = (await reader.get(entry.oid)).data.toString('utf8').toLowerCase();
  return known.find(({ name }) => text.includes(name.toLowerCase())) ?? otherCode;
}
