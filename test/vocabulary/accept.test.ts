import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computing } from '#test/support/time.ts';
import { acceptMediaType, neutralHeader } from '#vocabulary/accept.ts';

const renderings = ['raw', 'html', 'text', 'full', 'object', 'diff', 'patch', 'sha', 'text-match', 'star'];

test.each([
  [undefined, 'json'],
  ['', 'json'],
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['Application/JSON; charset=utf-8', 'json'],
  ['application/vnd.service+json', 'json'],
  ['application/vnd.github+json', 'json'],
  ['application/vnd.github.v3+json', 'json'],
  ['application/vnd.github', 'json'],
  ['application/vnd.github.luke-cage-preview+json', 'json'],
  ['application/vnd.service.text-match+json', 'text-match'],
  ['application/vnd.github.v3.text-match+json', 'text-match'],
  ['application/vnd.github.raw', 'raw'],
  ['application/vnd.github.raw+json', 'raw'],
  ['application/vnd.github.VERSION.raw+json', 'raw'],
  ['application/vnd.github.v3.diff', 'diff'],
  ['application/vnd.service.patch', 'patch'],
  ['application/vnd.github.v3.sha', 'sha'],
  ['application/vnd.github.object+json', 'object'],
  ['application/vnd.github.v3.star+json', 'star'],
  ['application/vnd.github-blob.raw', 'raw'],
  ['application/vnd.github.html+json', 'html'],
  ['text/html, application/vnd.github.full+json;q=0.5', 'full'],
  ['text/html', 'json'],
  ['application/hal+json', 'json'],
  ['*/*, application/vnd.github.raw', 'raw'],
  ['application/vnd.github.raw;q=0.2, application/json;q=0.9', 'json'],
  ['application/vnd.github.raw;q=0, */*;q=0.1', 'json'],
  ['application/vnd.github.html, application/vnd.github.raw', 'html'],
  ['application/vnd.github.cloak-preview+json, application/vnd.github.v3.text-match+json', 'text-match'],
  ['application/vnd.service.text-match+json, application/vnd.service+json', 'text-match'],
  ['application/json, application/vnd.service.text-match+json;q=0.9', 'json'],
  ['application/vnd.github.raw, application/vnd.github.text-match+json', 'raw'],
])('%s asks for %s', (header, media) => {
  expect(acceptMediaType(header)).toMatchObject({ acceptable: true, media });
});

test.each([
  'text/html;q=0',
  'image/png',
  'nonsense',
  'application/xml;q=0.9',
  'application/json;q=0',
  'application/vnd.githubber',
  ', ,',
])('%s is not acceptable', (header) => {
  expect(acceptMediaType(header).acceptable).toBe(false);
});

test('the version inside a media type is told, and so is a wish for bytes', () => {
  expect(acceptMediaType('application/vnd.github.v3.raw+json').version).toBe('v3');
  expect(acceptMediaType('application/vnd.github.raw+json').version).toBeUndefined();
  expect(acceptMediaType('application/octet-stream')).toEqual({ acceptable: true, media: 'bytes' });
});

test('both vocabularies mean the same by each media type', () => {
  for (const media of renderings) {
    for (const end of ['', '+json']) {
      expect(acceptMediaType(`application/vnd.service.${media}${end}`)).toEqual(
        acceptMediaType(`application/vnd.github.${media}${end}`),
      );
      expect(acceptMediaType(`application/vnd.service.v3.${media}${end}`).media).toBe(media);
    }
  }
});

test('any text is answered, and a long one without delay', () => {
  fc.assert(fc.property(fc.string(), (text) => ['json', ...renderings].includes(acceptMediaType(text).media)));
  expect(computing(() => acceptMediaType(`application/vnd.github${'.a-'.repeat(20_000)}!`))).toBeLessThan(200);
  expect(computing(() => acceptMediaType('a,'.repeat(20_000)))).toBeLessThan(200);
});

test('a header is found by its neutral name in either vocabulary, the neutral one first', () => {
  const name = 'x-service-api-version';
  expect(neutralHeader({ 'x-github-api-version': '2022-11-28' }, name)).toBe('2022-11-28');
  expect(neutralHeader({ 'x-service-api-version': '2026-03-10' }, name)).toBe('2026-03-10');
  expect(neutralHeader({ 'x-service-api-version': '2026-03-10', 'x-github-api-version': '2022-11-28' }, name)).toBe('2026-03-10');
  expect(neutralHeader({ 'x-github-api-version': ['a', 'b'] }, name)).toBe('a');
  expect(neutralHeader({}, name)).toBeUndefined();
  expect(neutralHeader({ accept: 'a' }, 'accept')).toBe('a');
});
