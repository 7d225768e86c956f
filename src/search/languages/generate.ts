import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as linguist from 'linguist-languages';

/**
 * Generates `table.json` from the linguist data, whose import would take 0.2 s at each start. Run it with `node
 * src/search/languages/generate.ts`. A test fails if the committed file is stale.
 */

/** Extensions that several languages share belong to the first of these languages. */
const preferred = [
  ...[
    'JavaScript',
    'TypeScript',
    'TSX',
    'Python',
    'Java',
    'C',
    'C++',
    'C#',
    'Go',
    'Rust',
    'Ruby',
    'PHP',
    'Swift',
    'Kotlin',
    'Scala',
  ],
  ...[
    'Objective-C',
    'Shell',
    'HTML',
    'CSS',
    'SCSS',
    'SQL',
    'Markdown',
    'YAML',
    'JSON',
    'XML',
    'TOML',
    'Perl',
    'R',
    'Haskell',
    'Lua',
  ],
  ...[
    'Elixir',
    'Erlang',
    'Clojure',
    'Dart',
    'F#',
    'Julia',
    'Assembly',
    'Common Lisp',
    'Prolog',
    'Verilog',
    'Vim Script',
    'TeX',
    'Text',
  ],
];

const kinds = ['programming', 'markup', 'data', 'prose'];

type Language = (typeof linguist)[keyof typeof linguist];

export type Table = {
  /** The names of languages. Other fields contain indexes into this list. */
  names: string[];
  /** Languages that count as another language: TSX is TypeScript. */
  groups: Record<number, number>;
  aliases: Record<string, number>;
  extensions: Record<string, number>;
  filenames: Record<string, number>;
  interpreters: Record<string, number>;
  /** Languages that count in statistics: programming and markup, but not prose and data. */
  counted: number[];
  /** Colours in hexadecimal digits. */
  colors: Record<number, string>;
};

/** Makes the table from the installed data. */
export function makeTable(): Table {
  const languages: Language[] = Object.values(linguist).toSorted((a, b) => a.languageId - b.languageId);
  const numbers: ReadonlyMap<string, number> = new Map(languages.map((language, index) => [language.name, index]));
  const groups = languages.flatMap((language, index) => {
    const group = 'group' in language ? numbers.get(String(language.group)) : undefined;
    return group === undefined ? [] : [[index, group]];
  });
  return {
    names: languages.map(({ name }) => name),
    groups: Object.fromEntries(groups),
    aliases: choose(languages, (language) => [
      language.name.toLowerCase(),
      language.name.toLowerCase().replaceAll(' ', '-'),
      ...('aliases' in language ? (language.aliases ?? []).map((alias) => alias.toLowerCase()) : []),
    ]),
    extensions: choose(languages, (language) =>
      'extensions' in language ? (language.extensions ?? []).map((e) => e.slice(1).toLowerCase()) : [],
    ),
    filenames: choose(languages, (language) => ('filenames' in language ? (language.filenames ?? []) : [])),
    interpreters: choose(languages, (language) => ('interpreters' in language ? (language.interpreters ?? []) : [])),
    counted: languages.flatMap(({ type }, index) => (type === 'programming' || type === 'markup' ? [index] : [])),
    colors: Object.fromEntries(
      languages.flatMap((language, index) =>
        'color' in language && language.color ? [[index, language.color.slice(1).toLowerCase()]] : [],
      ),
    ),
  };
}

/** The language of each word: a preferred language, then one that lists the word first, then by type. */
function choose(languages: readonly Language[], wordsOf: (language: Language) => readonly string[]): Record<string, number> {
  const best = new Map<string, { index: number; rank: number }>();
  for (const [index, language] of languages.entries()) {
    for (const [position, word] of wordsOf(language).entries()) {
      const rank = rankOf(language, position);
      const current = best.get(word);
      if (!current || rank < current.rank) best.set(word, { index, rank });
    }
  }
  const sorted = [...best].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([word, { index }]) => [word, index]));
}

function rankOf(language: Language, position: number): number {
  const preference = preferred.indexOf(language.name);
  if (preference >= 0) return preference;
  return 1_000 + (position === 0 ? 0 : 100) + kinds.indexOf(language.type);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(new URL('table.json', import.meta.url), `${JSON.stringify(makeTable())}\n`);
}
