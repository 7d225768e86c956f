// Builds the bundle from which Hearth starts: a few large files without types, instead of some two thousand (decision 72).
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { OutputChunk, Plugin, RolldownMagicString } from 'rolldown';
import {
  type BundledFile,
  type BundleRecord,
  bundlesFolder,
  describeFile,
  findBundle,
  hasOwnPackages,
  recordFile,
  root,
} from './record.ts';

/**
 * Bundled packages, which have many files. Others aren't bundled, since some need files next to them, or would be loaded twice.
 */
const bundledPackages = ['typebox', 'kysely'];
const isOutside = (name: string): boolean =>
  !/^[#./]/.test(name) && !bundledPackages.some((bundled) => name === bundled || name.startsWith(`${bundled}/`));

/** Builds the bundle of the current sources, unless it exists. A checkout with another checkout's packages gets none. */
export async function makeBundle(): Promise<'made' | 'present' | 'impossible'> {
  if (!hasOwnPackages()) return 'impossible';
  if (findBundle() !== undefined) return 'present';
  const files = ['package.json', 'package-lock.json'].map((path) => describeFile(path).file);
  const chunks = await bundle(files);
  const texts = chunks.flatMap(textsOf);
  const folder = createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16);
  await writeFiles(join(bundlesFolder, folder), texts);
  await replaceRecord({ folder, files });
  await removeOthers(folder);
  return 'made';
}

/** Bundles the command line with everything that it imports, and adds each source to `files`. */
async function bundle(files: BundledFile[]): Promise<OutputChunk[]> {
  const { rolldown } = await import('rolldown');
  await using build = await rolldown({
    cwd: root,
    input: { program: 'src/cli/program.ts', serving: 'src/cli/serving.ts' },
    platform: 'node',
    external: isOutside,
    plugins: [readSources(files)],
    experimental: { nativeMagicString: true },
  });
  const { output } = await build.generate({
    dir: join(bundlesFolder, 'bundle'),
    format: 'esm',
    // With this extension, Node needn't determine the type of a module.
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    keepNames: true,
    // Node would load source maps that a file references immediately (`stack-traces.ts`).
    sourcemap: 'hidden',
    sourcemapExcludeSources: true,
  });
  return output.filter((file) => file.type === 'chunk');
}

const sources = join(root, 'src/');

/** Reads and records Hearth's own files, and preserves their locations. */
function readSources(files: BundledFile[]): Plugin {
  return {
    name: 'sources',
    load(id) {
      if (!id.startsWith(sources)) return null;
      const { file, code } = describeFile(relative(root, id));
      files.push(file);
      return code;
    },
    transform: {
      filter: { code: 'import.meta.' },
      handler: (code, id, { magicString }) => (id.startsWith(sources) ? keepLocation(code, id, magicString) : null),
    },
  };
}

/** The values of `import.meta` in a source, as expressions in a file of the bundle. */
const locations: Readonly<Record<string, (id: string) => string>> = {
  url: (id) => `new URL(${fromBundle(id)}, import.meta.url).href`,
  dirname: (id) => `process.getBuiltinModule('node:path').join(import.meta.dirname, ${fromBundle(dirname(id))})`,
};

const fromBundle = (path: string): string => JSON.stringify(relative(join(bundlesFolder, 'bundle'), path));

/**
 * Replaces `import.meta` in a source by its own location, so that data, migrations and thread modules are found, wherever the
 * checkout is.
 */
function keepLocation(code: string, id: string, text: RolldownMagicString | undefined): { code: RolldownMagicString } | null {
  if (!text) throw new Error('Rolldown gave no editable text');
  for (const { 0: written, 1: name = '', index } of code.matchAll(/\bimport\.meta\.(\w+)/g)) {
    const location = locations[name];
    if (!location) throw new Error(`${id}: ${written} is not known in a bundle`);
    text.overwrite(index, index + written.length, location(id));
  }
  return { code: text };
}

type File = { name: string; text: string };

const textsOf = ({ fileName, code, map }: OutputChunk): File[] => [
  { name: fileName, text: code },
  // A file that only re-exports others has no map.
  ...(map ? [{ name: `${fileName}.map`, text: JSON.stringify(map) }] : []),
];

async function writeFiles(folder: string, files: readonly File[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await Promise.all(files.map(({ name, text }) => writeFile(join(folder, name), text)));
}

/** Replaces the record atomically, since Hearth may start at the same time. */
async function replaceRecord(record: BundleRecord): Promise<void> {
  const temporary = `${recordFile}.${process.pid}`;
  await writeFile(temporary, JSON.stringify(record));
  await rename(temporary, recordFile);
}

async function removeOthers(present: string): Promise<void> {
  const entries = await readdir(bundlesFolder, { withFileTypes: true });
  const old = entries.filter((entry) => entry.isDirectory() && entry.name !== present);
  await Promise.all(old.map(({ name }) => rm(join(bundlesFolder, name), { recursive: true, force: true })));
}
