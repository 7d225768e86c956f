import { expect, test } from 'vitest';
import { portablePattern } from '#openapi/portable-pattern.ts';

test.each(['^[\\p{Cc}]$', '^[\\p{Cf}]$', '^[\\p{Z}]$', '^\\P{Cc}$', '^[^\\p{Z}\\p{Cf}\\p{Cc}]$'])(
  '%s means the same without its categories, for each character up to U+FFFF',
  (pattern) => {
    const [exact, portable] = [new RegExp(pattern, 'u'), new RegExp(portablePattern(pattern))];
    const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter((one) => one.isWellFormed());
    expect(all.filter((one) => exact.test(one) !== portable.test(one)).map((one) => one.charCodeAt(0).toString(16))).toEqual([]);
  },
);

test('a category that is not known is an error', () => {
  expect(() => portablePattern('[\\p{Lu}]')).toThrow('Lu');
});
