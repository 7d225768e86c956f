// Which files declare dependencies, and how they are read.

import { fixedValue } from '#lib/limits.ts';
import { periodicYield } from '#lib/turns.ts';
import { dependencyLimits } from './limits.ts';
import { parseCargoLock, parseCargoToml } from './parsers/cargo.ts';
import type { Dependency, Parser } from './parsers/dependency.ts';
import { parseGoMod } from './parsers/go.ts';
import { parsePom } from './parsers/maven.ts';
import { parsePackageJson, parsePackageLock } from './parsers/npm.ts';
import { parsePipfileLock, parsePoetryLock, parseRequirements } from './parsers/pypi.ts';

const { ofFile, nameLength } = dependencyLimits;

/** Files by their names. A file adds nothing if one of the files in `unless` is next to it. */
const kinds: readonly { name: RegExp; parse: Parser; unless?: readonly string[] }[] = [
  { name: /^(?:package-lock|npm-shrinkwrap)\.json$/, parse: parsePackageLock },
  { name: /^package\.json$/, parse: parsePackageJson, unless: ['package-lock.json', 'npm-shrinkwrap.json'] },
  { name: /^requirements(?:[-_.][\w.-]+)?\.txt$/, parse: parseRequirements },
  { name: /^poetry\.lock$/, parse: parsePoetryLock },
  { name: /^Pipfile\.lock$/, parse: parsePipfileLock },
  { name: /^go\.mod$/, parse: parseGoMod },
  { name: /^Cargo\.lock$/, parse: parseCargoLock },
  { name: /^Cargo\.toml$/, parse: parseCargoToml, unless: ['Cargo.lock'] },
  { name: /^pom\.xml$/, parse: parsePom },
];

/** Folders of third-party code, whose files describe other projects. */
const foreign = /(?:^|\/)(?:node_modules|vendor)\//;

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const kindOf = (path: string) => kinds.find(({ name }) => name.test(nameOf(path)));

/** Whether a path is that of a file that declares dependencies. */
export const isManifest = (path: string): boolean => kindOf(path) !== undefined && !foreign.test(path);

/** The given files, without those that a better file next to them replaces. */
export function withoutSuperseded<File extends { path: string }>(files: readonly File[]): File[] {
  const paths = new Set(files.map(({ path }) => path));
  return files.filter(({ path }) => {
    const folder = path.slice(0, path.length - nameOf(path).length);
    return !kindOf(path)?.unless?.some((name) => paths.has(folder + name));
  });
}

export type ManifestContent = { dependencies: Dependency[]; problem: string | null };

/**
 * Reads a file for which `isManifest` is true, in a worker thread, since its parsers are third-party code. It yields, since the
 * file may be large. Unreadable parts are reported as the file's problem, and never as an error, since anybody may push such a
 * file.
 */
export async function readManifest({ path, content: bytes }: { path: string; content: Uint8Array }): Promise<ManifestContent> {
  // Data from another thread is no longer a Buffer.
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const most = fixedValue(ofFile);
  const found = new Map<string, Dependency>();
  const yieldTurn = periodicYield();
  try {
    for (const one of kindOf(path)?.parse(content, path) ?? []) {
      await yieldTurn();
      if (!one || !isStorable(one)) continue;
      const key = JSON.stringify([one.name, one.version, one.version === null ? one.requirement : null]);
      const known = found.get(key);
      if (known) found.set(key, stronger(known, one));
      else if (found.size < most) found.set(key, one);
      else return { dependencies: [...found.values()], problem: `names more than ${most} dependencies` };
    }
    return { dependencies: [...found.values()], problem: null };
  } catch {
    return { dependencies: [], problem: 'can’t be read' };
  }
}

const isText = (text: string | null): boolean =>
  text === null || (text.length <= fixedValue(nameLength) && !text.includes('\0') && text.isWellFormed());

const isStorable = ({ name, version, requirement, license = null }: Dependency): boolean =>
  name !== '' && [name, version, requirement, license].every(isText);

/** Merges duplicates. A package is used at run time, or is direct, if one of the duplicates is. */
const stronger = (one: Dependency, other: Dependency): Dependency => ({
  ...one,
  scope: one.scope === 'runtime' ? one.scope : other.scope,
  relationship: other.relationship === 'direct' ? 'direct' : one.relationship,
});
