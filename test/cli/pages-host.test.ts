import { expect, test } from 'vitest';
import { settingsFor } from '#cli/installation.ts';
import { cookieProblemOf, plainHttpProblemOf } from '#cli/pages-host.ts';
import { readConfig, type TextValues } from '#cli/settings.ts';

const problemOf = (env: TextValues) => cookieProblemOf(readConfig({}, env).config);

test.each([
  [{}, /are off, since they would share the server's host.* --pages-url/],
  [{ HEARTH_URL: 'https://code.test' }, /are off, since they would share the server's host.* --pages-url/],
  [{ HEARTH_URL: 'https://code.test', HEARTH_PAGES_URL: 'https://code.test:8443' }, /are off/],
  [{ HEARTH_HOST: '10.0.0.1', HEARTH_PAGES_URL: 'http://10.0.0.1:3001' }, /are off/],
  [{ HEARTH_URL: 'http://code.example.com', HEARTH_PAGES_URL: 'http://pages.example.com' }, /over HTTP/],
  [{ HEARTH_URL: 'http://example.com', HEARTH_PAGES_URL: 'http://*.pages.example.com' }, /over HTTP/],
])('websites that can set cookies of the server are found: %o', (env, message) => {
  expect(problemOf(env)).toMatch(message);
});

test.each([
  { HEARTH_PAGES_URL: 'http://pages.localhost:3001' },
  { HEARTH_URL: 'https://code.test', HEARTH_PAGES_PORT: 'off' },
  { HEARTH_URL: 'https://code.example.com', HEARTH_PAGES_URL: 'https://pages.example.com' },
  { HEARTH_URL: 'http://code.example.com', HEARTH_PAGES_URL: 'http://pages.example.org' },
  { HEARTH_URL: 'http://10.0.0.1', HEARTH_PAGES_URL: 'http://10.1.0.1' },
])('others are not: %o', (env) => {
  expect(problemOf(env)).toBeUndefined();
});

test.each([
  [{}, undefined],
  [{ HEARTH_URL: 'https://code.test' }, undefined],
  [{ HEARTH_URL: 'http://code.test' }, undefined],
  [{ HEARTH_PAGES_URL: 'http://pages.localhost:3001' }, { port: 3001 }],
  [{ HEARTH_URL: 'https://code.test', HEARTH_PAGES_URL: 'https://code.test:8443' }, undefined],
  [{ HEARTH_URL: 'https://code.test', HEARTH_PAGES_URL: 'https://pages.test' }, { port: 3001 }],
])('websites on the host of the server are off: %o', (env, served) => {
  const { pages } = settingsFor(readConfig({}, env).config, {} as Parameters<typeof settingsFor>[1]);
  expect(pages && { port: pages.port }).toEqual(served);
});

test.each([
  [{}, undefined],
  [{ HEARTH_URL: 'http://localhost:3000' }, undefined],
  [{ HEARTH_HOST: '0.0.0.0', HEARTH_URL: 'https://code.test' }, undefined],
  [{ HEARTH_HOST: '0.0.0.0', HEARTH_TLS_CERT: 'cert.pem' }, undefined],
  [{ HEARTH_HOST: '0.0.0.0' }, /^Passwords and sessions reach 0\.0\.0\.0 over plain HTTP/],
  [{ HEARTH_HOST: '127.0.0.1', HEARTH_URL: 'http://code.test' }, /reach code\.test over plain HTTP/],
])('plain HTTP beyond loopback is warned of: %o', (env, message) => {
  const problem = plainHttpProblemOf(readConfig({}, env).config);
  if (message) expect(problem).toMatch(message);
  else expect(problem).toBeUndefined();
});
