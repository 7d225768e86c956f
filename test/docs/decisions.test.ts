import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../docs/decisions');
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
const files = readdirSync(folder).filter((file) => file !== 'README.md');
const numberOf = (file: string): number => Number.parseInt(file, 10);

test('docs/decisions/README.md names each decision by its number and title, and the numbers that are not used', () => {
  const index = read('README.md');
  const rows = [...index.matchAll(/^\| (\d+) \| \[(.+)\]\((\d{4}-[a-z0-9-]+\.md)\) \| .+ \| .+ \|$/gm)];
  const titled = files.map((file) => [String(numberOf(file)), /^# (.+)$/m.exec(read(file))?.[1], file]);
  expect(rows.map(([, ...row]) => row)).toEqual(titled);
  const [, gaps = ''] = /No decision has these numbers: ([\d, ]+)\./.exec(index) ?? [];
  const used = new Set(files.map(numberOf));
  const all = Array.from({ length: Math.max(...used) }, (_, at) => at + 1);
  expect(gaps.split(', ').map(Number)).toEqual(all.filter((number) => !used.has(number)));
});

test.each(files)('%s has a title without its number, and short parts in one format', (file) => {
  expect(read(file)).toMatch(/^# (?!\d+[.:])/);
  const parts = [...read(file).matchAll(/^\*\*(\w+)\.\*\*/gm)].map(([, part]) => part).filter((part) => part !== 'Amended');
  expect(parts).toEqual(['Context', 'Decision', expect.stringMatching(/^Consequences?$/)]);
});
