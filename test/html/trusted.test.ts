import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { iconsText } from '#html/generate-icons.ts';

const root = new URL('../../src', import.meta.url).pathname;

/** The modules that may declare a text to be safe HTML: what they insert is sanitized, escaped or constant. */
const trusted = ['console/components/text.ts', 'html/document.ts', 'html/foreign-images.ts', 'html/icons.ts', 'html/template.ts'];

test('only a few modules declare a text to be safe HTML', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const calling = files.filter((name) => /\btrustHtml\(|new TrustedHtml\(/.test(readFileSync(join(root, name), 'utf8')));
  expect(calling.toSorted()).toEqual(trusted);
});

test('icons.json has the icons of the package', () => {
  expect(readFileSync(join(root, 'html/icons.json'), 'utf8')).toBe(iconsText());
});
