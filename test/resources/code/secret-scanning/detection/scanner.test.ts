import fc from 'fast-check';
import { expect, test } from 'vitest';
import { refreshTokenPrefix, tokenPrefixes } from '#access/tokens.ts';
import { system } from '#lib/caller.ts';
import { asId } from '#lib/id.ts';
import { newToken } from '#lib/token.ts';
import { periodicYield } from '#lib/turns.ts';
import { customScannerOf } from '#resources/code/secret-scanning/detection/custom-scanner.ts';
import { customSearch } from '#resources/code/secret-scanning/detection/custom-search.ts';
import { matchesIn } from '#resources/code/secret-scanning/detection/find-secrets.ts';
import { genericPatterns, providerPatterns, type SecretPattern } from '#resources/code/secret-scanning/detection/patterns.ts';
import { scannerOf } from '#resources/code/secret-scanning/detection/scanner.ts';

const patterns = [...providerPatterns, ...genericPatterns];
const scanner = scannerOf(patterns);
const typesIn = (text: string): string[] => scanner.scan(Buffer.from(text, 'latin1'), 100).map(({ pattern }) => pattern.type);

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const some = (alphabet: string, length: number): string =>
  Array.from({ length }, (_, at) => alphabet.charAt((at * 7 + length) % alphabet.length)).join('');
const hex = (length: number) => some('0123456789abcdef', length);
const word = (length: number) => some(letters, length);
const upper = (length: number) => some('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', length);
const digits = (length: number) => some('0123456789', length);

// One text of each form, written down from the form as its provider publishes it, put together so that no scanner finds it in
// this file.
const forms: Record<string, string> = {
  hearth_personal_access_token: newToken(tokenPrefixes.classic_pat),
  hearth_fine_grained_personal_access_token: newToken(tokenPrefixes.fine_grained_pat),
  hearth_oauth_access_token: newToken(tokenPrefixes.oauth_app),
  hearth_app_user_access_token: newToken(tokenPrefixes.app_user),
  hearth_app_installation_access_token: newToken(tokenPrefixes.installation),
  hearth_refresh_token: newToken(refreshTokenPrefix),
  // The token of the provider's own announcement of its checksum.
  github_personal_access_token: `ghp_${'zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ'}0mLq17`,
  npm_access_token: newToken('npm_'),
  aws_access_key_id: `AKIA${upper(16)}`,
  slack_api_token: `xoxb-${digits(12)}-${digits(12)}-${word(24)}`,
  slack_incoming_webhook_url: `https://hooks.slack.com/services/T${upper(8)}/B${upper(8)}/${word(24)}`,
  stripe_api_key: `sk_live_${word(24)}`,
  gitlab_access_token: `glpat-${word(20)}`,
  google_api_key: `AIza${word(35)}`,
  pypi_api_token: `pypi-AgEIcHlwaS5vcmc${word(80)}`,
  sendgrid_api_key: `SG.${word(22)}.${word(43)}`,
  twilio_api_key: `SK${hex(32)}`,
  digitalocean_personal_access_token: `dop_v1_${hex(64)}`,
  openai_api_key: `sk-${word(20)}T3BlbkFJ${word(20)}`,
  rsa_private_key: `-----BEGIN RSA PRIVATE KEY-----\n${word(64)}\n${word(64)}\n-----END RSA PRIVATE KEY-----`,
  pgp_private_key: `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${word(64)}\n-----END PGP PRIVATE KEY BLOCK-----`,
  mongodb_connection_string: 'mongodb+srv://ada:correct-horse@cluster.engine.test',
};

test.each(Object.entries(forms))('%s is found wherever it stands, and nothing else in it', (type, secret) => {
  for (const text of [secret, `KEY=${secret}`, `"${secret}"`, `\n${secret}\n`, `a ${secret} b`, `"x\\n${secret}\\n"`])
    expect(typesIn(text), text).toEqual([type]);
  const [match] = scanner.scan(Buffer.from(`é: ${secret}.`, 'latin1'), 1);
  expect(match).toMatchObject({ secret, start: 3, end: 3 + secret.length });
});

test.each(Object.entries(forms))('%s is not found inside a word, cut, or with a wrong checksum', (type, secret) => {
  expect(typesIn(`x${secret}`)).toEqual([]);
  const pattern = patterns.find((one) => one.type === type);
  if (pattern?.check) {
    const wrong = secret.slice(0, -1) + (secret.endsWith('a') ? 'b' : 'a');
    expect(typesIn(wrong)).toEqual([]);
    expect(typesIn(`${secret}a`)).toEqual([]);
  }
  expect(typesIn(secret.slice(0, 12))).toEqual([]);
});

test('placeholders are no secrets', () => {
  expect(typesIn(`AKIA${'IOSFODNN7EXAMPLE'}`)).toEqual([]);
  expect(typesIn(`AKIA${'X'.repeat(16)}`)).toEqual([]);
  expect(typesIn(`sk_live_${'x'.repeat(24)}`)).toEqual([]);
});

test('each pattern has a type of its own, and its form begins with its prefixes', () => {
  expect(new Set(patterns.map(({ type }) => type)).size).toBe(patterns.length);
  for (const { type, form, prefixes } of patterns) {
    expect(form.source, type).toMatch(/^\^/);
    expect(form.flags, type).toBe('');
    for (const prefix of prefixes) expect(prefix.length, type).toBeGreaterThanOrEqual(2);
  }
});

/** What a scan finds, worked out without an automaton: each pattern at each place. */
function naive(text: string, among: readonly SecretPattern[]): string[] {
  return Array.from({ length: text.length }, (_, at) =>
    among
      .filter(({ prefixes, form, check, maxLength }) => {
        const rest = text.slice(at, at + maxLength + 1);
        const found = form.exec(rest)?.[0];
        return found !== undefined && prefixes.some((prefix) => rest.startsWith(prefix)) && check?.(found) !== false;
      })
      .filter(() => at === 0 || !/\w/.test(text.charAt(at - 1)) || text.charAt(at - 2) === '\\')
      .map(({ type }) => `${at} ${type}`),
  ).flat();
}

test('the automaton finds what a search for each pattern at each place finds', () => {
  const piece = fc.oneof(
    fc.constantFrom(...Object.values(forms), ...patterns.flatMap(({ prefixes }) => prefixes)),
    fc.string({ maxLength: 12 }),
    fc.constantFrom(' ', '\n', '\\n', 'x', '"', 'AK', 'sk', '-----'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = Buffer.from(pieces.join(''), 'latin1').toString('latin1');
      const found = scanner.scan(Buffer.from(text, 'latin1'), 1_000).map(({ start, pattern }) => `${start} ${pattern.type}`);
      expect(found.sort()).toEqual(naive(text, patterns).sort());
    }),
    { numRuns: 300 },
  );
});

test('no more secrets are found than are wanted', () => {
  const text = Array.from({ length: 20 }, () => newToken('hrp_')).join('\n');
  expect(scanner.scan(Buffer.from(text), 5)).toHaveLength(5);
});

test('a large file is scanned in parts, with secrets wherever these meet', () => {
  const secret = newToken('hrp_');
  const custom = customScannerOf([
    {
      id: asId<'secret_patterns'>(1),
      name: 'Engine key',
      slug: 'engine-key',
      expression: 'ENG-[0-9]{6}',
      start_delimiter: '\\A|[^0-9A-Za-z]',
      end_delimiter: '\\z|[^0-9A-Za-z]',
      must_match: [],
      must_not_match: [],
    },
  ]);
  for (const border of [16_384, 131_072, 262_144])
    for (let before = border - secret.length - 12; before < border + 2; before++) {
      const text = Buffer.from(`${' '.repeat(before)}${secret} ENG-123456 ${' '.repeat(1_000)}`);
      for (const [one, expected] of [
        [scanner, [before, secret]],
        [custom, [before + secret.length + 1, 'ENG-123456']],
      ] as const) {
        const parts = [...one.scanInParts(text, 10)];
        if (border > 16_384 || one === custom) expect(parts.length).toBeGreaterThan(1);
        expect(parts.flat().map(({ start, secret: found }) => [start, found])).toEqual([expected]);
      }
    }
});

test('between the parts of a large file other work has its turn', async () => {
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  const found: string[] = [];
  const text = Buffer.alloc(5 * 1024 * 1024, 'AC ');
  const secret = newToken('hrp_');
  const search = { known: scanner, findCustom: customSearch([], system) };
  text.write(` ${secret} `, text.length - 100);
  for await (const match of matchesIn(text, search, periodicYield())) found.push(match.secret);
  clearInterval(counting);
  expect(found).toEqual([secret]);
  expect(turns).toBeGreaterThan(1);
});
