import { expect, test } from 'vitest';
import { cookieProblemOf } from '#cli/pages-host.ts';
import { readConfig, type TextValues } from '#cli/settings.ts';

const problemOf = (env: TextValues) => cookieProblemOf(readConfig({}, env).config);

test.each([
  [{ HEARTH_URL: 'https://code.test' }, /share the host code\.test .* --pages-url/],
  [{ HEARTH_URL: 'https://code.test', HEARTH_PAGES_URL: 'https://code.test:8443' }, /share the host code\.test/],
  [{ HEARTH_URL: 'http://code.example.com', HEARTH_PAGES_URL: 'http://pages.example.com' }, /over HTTP/],
  [{ HEARTH_URL: 'http://example.com', HEARTH_PAGES_URL: 'http://*.pages.example.com' }, /over HTTP/],
])('websites that can set cookies of the server are found: %o', (env, message) => {
  expect(problemOf(env)).toMatch(message);
});

test.each([
  {},
  { HEARTH_URL: 'https://code.test', HEARTH_PAGES_PORT: 'off' },
  { HEARTH_URL: 'https://code.example.com', HEARTH_PAGES_URL: 'https://pages.example.com' },
  { HEARTH_URL: 'http://code.example.com', HEARTH_PAGES_URL: 'http://pages.example.org' },
  { HEARTH_URL: 'http://10.0.0.1', HEARTH_PAGES_URL: 'http://10.1.0.1' },
])('others are not: %o', (env) => {
  expect(problemOf(env)).toBeUndefined();
});
