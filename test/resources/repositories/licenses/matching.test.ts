import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { licenses } from '#resources/repositories/licenses/catalogue.ts';
import { recognizeLicense } from '#resources/repositories/licenses/matching.ts';
import { readText } from '#resources/repositories/licenses/texts.ts';
import { computing } from '#test/support/time.ts';

const read = createRequire(import.meta.url);
/** A text of SPDX, be it one of the known licences or not. */
const spdx = (id: string): string => read(`spdx-license-list/licenses/${id}.json`).licenseText;

const keyOf = (text: string): string | undefined => recognizeLicense(text)?.key;

/** A text cut into lines of at most so many characters, its paragraphs kept. */
function wrapped(text: string, width: number): string {
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => {
    const lines: string[] = [''];
    for (const word of paragraph.split(/\s+/).filter(Boolean)) {
      const last = lines.at(-1) ?? '';
      if (last !== '' && last.length + word.length >= width) lines.push(word);
      else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
    }
    return lines.join('\n');
  });
  return paragraphs.join('\n\n');
}

/** So far go the lines about copyright at the beginning of a text, before those that show how to write one. */
const head = 600;
const copyrightLine = /^\s*(?:portions )?copyright (?:\(c\)|©|<|\[).*$/gim;

const holder = fc.constantFrom(
  'Ada Lovelace',
  'The Analytical Engine Authors <ada@example.org>',
  'Müller & Søn, Inc. (https://x.org)',
);
const year = fc.constantFrom('1843', '2019-2026', '2001, 2003', '[year]', '<year>');
const sign = fc.constantFrom('(c)', '(C)', '©', '&copy;', '');
const reserved = fc.constantFrom('', '.', ' All rights reserved.', '\nAll rights reserved.');

/** What people change in a licence's text without changing the licence. */
const changes = fc.record({
  notice: fc.option(fc.tuple(sign, year, holder, reserved).map(([c, y, h, r]) => `Copyright ${c} ${y} ${h}${r}`)),
  heading: fc.constantFrom('', 'License\n=======\n\n', '# LICENSE\n\n', '<!-- the licence -->\n\n'),
  cased: fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => text.toLowerCase(),
  ),
  width: fc.option(fc.integer({ min: 60, max: 140 })),
  quotes: fc.constantFrom('"', "'", '“', '``', '&quot;'),
  indent: fc.constantFrom('', '  ', '\t', '// ', ' * ', '# ', '> ', '; '),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r', '  \n'),
});
type Changes = typeof changes extends fc.Arbitrary<infer T> ? T : never;

function changed(text: string, { notice, heading, cased, width, quotes, indent, lineEnd }: Changes): string {
  const own = notice === null ? text : `${notice}\n\n${text.slice(0, head).replace(copyrightLine, '')}${text.slice(head)}`;
  const quoted = cased(own).replace(/["“”]/g, quotes);
  const filled = width === null ? quoted : wrapped(quoted, width);
  return `${heading}${filled}`.replace(/^/gm, indent).replace(/\n/g, lineEnd);
}

test.each(licenses.map((license) => [license.key, license] as const))(
  '%s is recognized, whatever copyright line, case, wrapping, quotes and comment signs it has',
  (key, license) => {
    const text = readText(license);
    expect(keyOf(text)).toBe(key);
    fc.assert(
      fc.property(changes, (some) => {
        expect(keyOf(changed(text, some))).toBe(key);
      }),
      { numRuns: 12 },
    );
  },
);

test.each([
  'JSON', // MIT, to be used for Good alone
  'MIT-feh',
  'X11',
  'curl',
  'Apache-1.1',
  'BSD-1-Clause',
  'BSD-3-Clause-Attribution',
  'BSD-3-Clause-No-Nuclear-License',
  'CC-BY-NC-4.0',
  'CC-BY-ND-4.0',
  'CC-BY-NC-SA-4.0',
  'CC-BY-3.0',
  'GPL-1.0-only',
  'LGPL-2.0-only',
  'GFDL-1.2-only',
  'MPL-1.1',
  'EUPL-1.0',
  'BUSL-1.1',
  'SSPL-1.0',
  'Elastic-2.0',
])('%s is none of the known licences, however near', (id) => {
  expect(keyOf(spdx(id))).toBeUndefined();
});

const mit = spdx('MIT');

test.each([
  [
    'a condition more',
    mit.replace('\n\nTHE', '\n\nThe Software must not be sold, nor used by companies of over ten people.\n\nTHE'),
  ],
  ['a sentence before it', `You may not sell this software, nor offer it as a service to others.\n\n${mit}`],
  ['a title of two licences', mit.replace('MIT License', 'MIT and GPL License')],
  ['a title of a changed one', mit.replace('MIT License', 'Modified MIT License')],
  ['half of it', mit.slice(0, 600)],
  ['it twice', `${mit}\n\n${mit}`],
  ['its words in another order', mit.split(/\s+/).sort().join(' ')],
  ['its name alone', 'MIT License\n'],
  ['nothing', ''],
])('MIT with a difference is not MIT: %s', (_, text) => {
  expect(keyOf(text)).toBeUndefined();
});

const bsd3 = spdx('BSD-3-Clause');

test.each([
  ['the name of a company inside', 'bsd-3-clause', bsd3.replace('the copyright holder nor', 'Analytical Engines Ltd. nor')],
  ['bullets', 'bsd-3-clause', bsd3.replace(/^\d\. /gm, ' * ')],
  [
    'the people who disclaim',
    'bsd-3-clause',
    bsd3
      .replace('THE COPYRIGHT HOLDERS AND CONTRIBUTORS', 'ADA LOVELACE')
      .replace(/COPYRIGHT (?:OWN|HOLD)ER OR CONTRIBUTORS/, 'ADA LOVELACE'),
  ],
  [
    'a title and a notice in one paragraph',
    'mit',
    mit.replace(/^[\s\S]*?\n\n(?=Permission)/, 'The MIT License (MIT)\nCopyright (c) 2026 Ada\n'),
  ],
  ['another name for it', 'mit', `Expat License\n\n${mit.slice(mit.indexOf('Copyright'))}`],
  [
    'a title and a notice in one line',
    'mit',
    mit.replace(/^[\s\S]*?\n\n(?=Permission)/, 'MIT License Copyright (c) 2026 Ada\n\n'),
  ],
  [
    'a sentence for a title',
    'mit',
    mit.replace(/^[\s\S]*?\n\n(?=Permission)/, 'This software is released under the MIT license:\n\n'),
  ],
  [
    'a remark and a link that nobody sees',
    'mit',
    `<!-- Written by a tool. Do not edit. -->\n\n${mit}\n\n[others]: https://example.org/authors`,
  ],
  ['another name of a BSD licence', 'bsd-3-clause', `Modified BSD License\n\n${bsd3}`],
  ['no appendix', 'apache-2.0', spdx('Apache-2.0').replace(/END OF TERMS AND CONDITIONS[\s\S]*$/, '')],
  ['no instructions', 'gpl-3.0', spdx('GPL-3.0-only').replace(/How to Apply These Terms[\s\S]*$/, '')],
  ['without the GPL', 'lgpl-3.0', spdx('LGPL-3.0-only').split('\nGNU GENERAL PUBLIC LICENSE\n')[0] ?? ''],
  [
    'in English alone',
    'mulanpsl-2.0',
    spdx('MulanPSL-2.0').slice(spdx('MulanPSL-2.0').indexOf('Mulan Permissive Software License，')),
  ],
  [
    'of other software',
    'postgresql',
    `PostgreSQL License\n\nCopyright (c) 2026, Ada\n\n${spdx('PostgreSQL')
      .slice(spdx('PostgreSQL').indexOf('Permission'))
      .replace(/the university of california/gi, 'Ada')}`,
  ],
  [
    'for its font',
    'ofl-1.1',
    'Copyright (c) 2026, Ada, with Reserved Font Name Engine.\n\n' +
      'This Font Software is licensed under the SIL Open Font License, Version 1.1.\n' +
      `This license is copied below, and is also available with a FAQ at:\nhttp://scripts.sil.org/OFL\n\n${spdx('OFL-1.1')}`,
  ],
  [
    'as a page',
    'isc',
    '<!DOCTYPE html><html><body><h1>ISC License</h1>\n<p>Copyright &copy; 2026 Ada</p>\n\n' +
      `<p>${spdx('ISC').slice(spdx('ISC').indexOf('Permission'))}</p></body></html>`,
  ],
])('a text with %s is %s', (_, key, text) => {
  expect(keyOf(text)).toBe(key);
});

const pieces = fc.constantFrom(
  ...[
    'neither the name of ',
    'in no event shall ',
    'software is provided by ',
    'Copyright (c) ',
    '\n',
    '<',
    '](',
    '&',
    '木',
    '\0',
    '\ud800',
  ],
  ...['creative commons corporation is not a law firm ', 'end of terms and conditions', 'for more information please see '],
);

test('no text throws', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 60 }), (some) => {
      expect(keyOf(some.join(''))).toBeUndefined();
    }),
    { numRuns: 300 },
  );
});

test.each([
  'GPL-3.0-only',
  'neither the name of ',
  'in no event shall ',
  'creative commons corporation is not a law firm ',
  'copyright (c) 2026 a\n',
  '\n',
  ' ',
  '[a',
  '<!--',
  '<a ',
  '](a',
  'MIT license\n',
  'a b\n',
])('the largest file takes no more than a moment: %j', (unit) => {
  const text = unit === 'GPL-3.0-only' ? spdx(unit) : unit.repeat(Math.ceil((64 * 1024) / unit.length));
  recognizeLicense(''); // the first call reads the known texts
  // A few milliseconds; what grew with the square of the length would take seconds.
  expect(computing(() => recognizeLicense(text))).toBeLessThan(150);
});
