import { expect, test } from 'vitest';
import { isLesser, licenseFileNames } from '#resources/repositories/licenses/files.ts';

test('licence files in the order in which they count', () => {
  const inOrder = [
    'LICENCE',
    'license',
    'UNLICENSE.md',
    'Copying',
    'COPYING.txt',
    'LICENSE.rst',
    'COPYING.LESSER',
    'LICENSE-APACHE',
    'LICENSE-MIT',
    'LICENSE_v2.txt',
    'COPYING-LIB',
    'MIT-LICENSE.txt',
    'OFL.txt',
  ];
  expect(licenseFileNames([...inOrder].sort())).toEqual(inOrder);
  expect(licenseFileNames([...inOrder].reverse())).toEqual(inOrder);
});

test.each(['README.md', 'license.go', 'LICENSE.spdx', 'license-checker.js', 'copyings', 'licensed', 'src', 'licenses.json', ''])(
  '%j is no licence file',
  (name) => {
    expect(licenseFileNames([name])).toEqual([]);
  },
);

test('what the LGPL adds to the GPL has a name of its own', () => {
  expect(['COPYING.LESSER', 'copying.lesser.txt', 'COPYING', 'LESSER'].filter(isLesser)).toEqual([
    'COPYING.LESSER',
    'copying.lesser.txt',
  ]);
});
