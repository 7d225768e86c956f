import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const names = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.test.ts'));
const tests = (await Promise.all(names.map((name) => readFile(join(import.meta.dirname, name), 'utf8')))).join('\n');

test.each(Array.from({ length: 11 }, (_, at) => at + 1))('document 1 has rule %i, and a test here is named after it', (rule) => {
  expect(tests).toMatch(new RegExp(`(test|describe)\\S*\\('rule ${rule}: |\\)\\('rule ${rule}: `));
});
