// An export is there for another file: one that nobody imports is removed, or loses its `export`.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('..', import.meta.url).pathname;

type Export = { readonly file: string; readonly line: number; readonly name: string };

/** Every name of a file, for imports that don't list any: `import * as store`, `import('./store.ts')`. */
const everything = '*';

/** The files of a folder by their paths. Generated files export what their sources say. */
const textsIn = (folder: string): [file: string, text: string][] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('/generated/') && !name.includes('node_modules/'))
    .map((name) => [`${folder}/${name}`, readFileSync(join(root, folder, name), 'utf8')]);

function pathOf(from: string, file: string): string {
  if (from.startsWith('#test/')) return from.slice(1);
  return from.startsWith('#') ? `src/${from.slice(1)}` : join(dirname(file), from);
}

/** The names of a list such as `type Db, listRows as rows`: the name in the file that is imported, and the name here. */
const namesIn = (list: string): { there: string; here: string }[] =>
  list
    .split(',')
    .map((one) => one.trim().replace(/^type /, ''))
    .filter((one) => one !== '')
    .map((one) => {
      const [there = '', here = there] = one.split(' as ');
      return { there, here };
    });

/** What files import, as `path: name`. */
function importsOf(texts: readonly [file: string, text: string][]): Set<string> {
  const found = new Set<string>();
  for (const [file, text] of texts) {
    for (const [, list, from = ''] of text.matchAll(/^(?:import|export)\b[^'{;]*(?:\{([^}]*)\} from )?'([#.][^']+)'/gm)) {
      const names = list === undefined ? [everything] : namesIn(list).map(({ there }) => there);
      for (const name of names) found.add(`${pathOf(from, file)}: ${name}`);
    }
    for (const [, from = ''] of text.matchAll(/\bimport\('([#.][^']+)'\)/g)) found.add(`${pathOf(from, file)}: ${everything}`);
  }
  return found;
}

const declared = /^export (?:declare )?(?:abstract )?(?:async )?(?:type|interface|class|function\*?|const|let) (\w+)/gm;

function exportsOf(file: string, text: string): Export[] {
  const at = (index: number): number => text.slice(0, index).split('\n').length;
  const own = [...text.matchAll(declared)].map(({ 1: name = '', index }) => ({ file, line: at(index), name }));
  const others = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(({ 1: list = '', index }) =>
    namesIn(list).map(({ here }) => ({ file, line: at(index), name: here })),
  );
  return [...own, ...others];
}

const unused = (exported: readonly Export[], imported: ReadonlySet<string>): string[] =>
  exported
    .filter(({ file, name }) => !imported.has(`${file}: ${name}`) && !imported.has(`${file}: ${everything}`))
    .map(({ file, line, name }) => `${file}:${line} ${name}`);

test('an export that no other file imports is found', () => {
  const store = [
    'src/a/store.ts',
    "export type Row = 1;\nexport const one = 1;\nexport async function two() {}\nexport { x as y } from './x.ts';",
  ];
  const rules = ['src/a/rules.ts', "import {\n  type Row,\n  one as first,\n} from './store.ts';\nimport * as x from '#a/x.ts';"];
  const x = ['src/a/x.ts', 'export const x = 1;\nexport const z = 2;'];
  const texts = [store, rules, x] as [string, string][];
  const exported = texts.flatMap(([file, text]) => exportsOf(file, text));
  expect(unused(exported, importsOf(texts))).toEqual(['src/a/store.ts:3 two', 'src/a/store.ts:4 y']);
});

test('each export of src is imported by another file', () => {
  // The generator holds the text of `tables.ts`, with its exports.
  const code = textsIn('src').filter(([file]) => !/\/database\/(generate-)?tables\.ts$/.test(file));
  const exported = code.flatMap(([file, text]) => exportsOf(file, text));
  expect(exported.length).toBeGreaterThan(4_000);
  expect(unused(exported, importsOf([...code, ...['test', 'bench', 'tools'].flatMap(textsIn)]))).toEqual([]);
});
