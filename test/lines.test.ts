// Lines stay within the formatter's width. Biome leaves texts, templates and comments alone, and other languages too.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = new URL('..', import.meta.url).pathname;
const width: number = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')).formatter.lineWidth;

/** Lines that can't be broken: the title of a test, which the formatter keeps on one line, and a regular expression. */
const unbreakable = /^\s*(?:test(?:\.\w+)*\(|\/[^/*])/;

/** Folders and files with longer lines, with their reason. */
const exemptions: Readonly<Record<string, string>> = {
  'src/database/tables.ts': 'Generated from the migrated database.',
  'src/runner-protocol/generated/': 'Generated from the description of the protocol.',
  'test/resources/actions/workflow-runs/tasks/step-names.test.ts': 'The name of a step is one line of its workflow file.',
};

const isExempt = (file: string): boolean => Object.keys(exemptions).some((prefix) => file.startsWith(prefix));

const files = ['src', 'test', 'bench', 'tools'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    // Fixtures of `test/spec` are recorded.
    .filter((file) => /\.(?:ts|js|py|go|java|rb|rs|sh)$/.test(file) && !file.startsWith('test/spec/')),
);

function longLinesOf(file: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      line.length > width && !unbreakable.test(line) ? [`${file}:${index + 1} has ${line.length} characters`] : [],
    );
}

const longLines = files.flatMap((file) => longLinesOf(file, readFileSync(join(root, file), 'utf8')));

test('long lines are found, and titles and regular expressions are left alone', () => {
  const long = 'x'.repeat(width);
  expect(longLinesOf('a.ts', `${long}\n ${long}\n// ${long}\ntest('${long}'\n  /${long}/,\nconst a = /${long}/;`)).toEqual([
    `a.ts:2 has ${width + 1} characters`,
    `a.ts:3 has ${width + 3} characters`,
    `a.ts:6 has ${width + 13} characters`,
  ]);
  expect(files.length).toBeGreaterThan(2_500);
});

test('no line is longer than the formatter’s width', () => {
  expect(longLines.filter((line) => !isExempt(line))).toEqual([]);
});

test('each exemption is needed', () => {
  expect(Object.keys(exemptions).filter((prefix) => !longLines.some((line) => line.startsWith(prefix)))).toEqual([]);
});
