// Names of the field's standard terms: a list of words that say less, with what to write instead.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('../src', import.meta.url).pathname;

/** Words of names, in small letters with one space between two words, and what to use instead. */
const forbidden: readonly { readonly words: RegExp; readonly instead: string }[] = [
  { words: /\bplaces?\b|\bplaced\b/, instead: 'what it is: location, owner, candidate, cursor, position, index …' },
  { words: /\bspots?\b/, instead: 'location, range' },
  { words: /\b(un)?judg\w*/, instead: 'evaluate, evaluation, verify' },
  { words: /\btold\b|\btell(s|ing)?\b/, instead: 'reported, record, notify, enqueue' },
  { words: /\bsights?\b/, instead: 'visibility' },
  { words: /\boccasions?\b/, instead: 'trigger, reason, cause' },
  { words: /\bat once\b/, instead: '…PerBatch, …InParallel, batchSize, maxConcurrent' },
  { words: /^disk$/, instead: 'GitRepository, gitRepository' },
];

/** Names that are forbidden and stay, with their reason. */
const exemptions: Readonly<Record<string, string>> = {
  'src/cli/doctor/machine.ts: disk': 'The check of the disk, by its name in the report of `hearth doctor`.',
};

type Name = { readonly file: string; readonly line: number; readonly name: string };

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  // Generated files hold the names of tables and of a `.proto` file.
  (name) => name.endsWith('.ts') && !name.includes('/generated/') && name !== 'database/tables.ts',
);

const declaration = /\b(?:type|interface|class|function\*?|const|let)\s+(?:(\w+)|([{[][^=;]*?[}\]])\s*=[^>])/g;

/** The names that a pattern binds: `{ place, at: spot }` binds `place` and `spot`. */
const boundIn = (pattern: string): string[] => [...pattern.matchAll(/(\w+)\s*(?=[,}\]=])/g)].map(([, name = '']) => name);

function namesIn(file: string, text: string): Name[] {
  const declared = [...text.matchAll(declaration)].flatMap((match) => {
    const line = text.slice(0, match.index).split('\n').length;
    const names = match[1] === undefined ? boundIn(match[2] ?? '') : [match[1]];
    return names.map((name) => ({ file: `src/${file}`, line, name }));
  });
  return [{ file: `src/${file}`, line: 1, name: basename(file, '.ts') }, ...declared];
}

const wordsOf = (name: string): string =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_.]/g, ' ')
    .toLowerCase();

const faultOf = ({ name }: Name): string | undefined => forbidden.find(({ words }) => words.test(wordsOf(name)))?.instead;

const keyOf = ({ file, name }: Name): string => `${file}: ${name}`;

const code = files.map((file) => ({
  file,
  text: readFileSync(join(root, file), 'utf8').replaceAll(/^[ \t]*(?:\/\/|\/?\*).*$/gm, ''),
}));
const names = code.flatMap(({ file, text }) => namesIn(file, text));

test('the names of declarations and files are found', () => {
  const text =
    'type JobPlace = {};\nexport const { place, at: spot } = judged;\nasync function tellAll() {}\nconst filesAtOnce = 1;';
  const found = namesIn('releases/sight.ts', text);
  expect(found.map(({ line, name }) => `${line} ${name}`)).toEqual([
    '1 sight',
    '1 JobPlace',
    '2 place',
    '2 spot',
    '3 tellAll',
    '4 filesAtOnce',
  ]);
  expect(found.map(faultOf)).not.toContain(undefined);
  expect(namesIn('a.ts', 'const placeholder = replacePlacement(placeholder);').map(faultOf)).toEqual([undefined, undefined]);
  expect(names.length).toBeGreaterThan(20_000);
});

test('no type, function, constant or file has a name of the list', () => {
  const wrong = names.flatMap((one) => {
    const instead = faultOf(one);
    return instead === undefined || keyOf(one) in exemptions ? [] : [`${one.file}:${one.line} ${one.name}: write ${instead}`];
  });
  expect(wrong).toEqual([]);
});

test('each exemption is needed', () => {
  const found = new Set(names.filter((one) => faultOf(one) !== undefined).map(keyOf));
  expect(Object.keys(exemptions).filter((key) => !found.has(key))).toEqual([]);
});

test("a repository's id and a repository on disk have one name each", () => {
  const aliases = code.flatMap(({ file, text }) =>
    [...text.matchAll(/\btype \w+ = Id<'repositories'>;/g), ...text.matchAll(/\bGitRepository as \w+/g)].map(
      ([alias]) => `src/${file}: ${alias}`,
    ),
  );
  expect(aliases).toEqual(["src/lib/id.ts: type RepositoryId = Id<'repositories'>;"]);
});
