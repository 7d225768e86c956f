import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jobTransitions, runTransitions } from '#resources/actions/workflow-runs/states/transitions.ts';
import { root } from './pages.ts';

const page = readFileSync(join(root, 'docs/actions.md'), 'utf8');

type Shown = { by: readonly string[]; from: readonly string[]; to: readonly string[]; follows: readonly string[] };

const named = (words: readonly string[]): string => words.map((word) => (word === 'new' ? word : `\`${word}\``)).join(', ');
const follow = (words: readonly string[]): string =>
  words.map((word) => (word.startsWith('workflow_') ? `\`${word}\`` : word)).join(', ');

/** The rows of a table of transitions, as the page has them. */
const rowsOf = (table: Readonly<Record<string, Shown>>): string[] =>
  Object.entries(table).map(
    ([name, { by, from, to, follows }]) =>
      `| \`${name}\` | ${named(from)} | ${named(to)} | ${by.join(', ')} | ${follow(follows)} |`,
  );

test.each([
  ['Transitions of a run', runTransitions],
  ['Transitions of a job', jobTransitions],
])('%s: docs/actions.md has what the code does', (title, table) => {
  const [, section = ''] = page.split(`### ${title}\n`);
  const [text = ''] = section.split(/^#/m);
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows).toEqual(rowsOf(table));
});
