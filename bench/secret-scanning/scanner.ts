// The speed of scanning files for secrets: processor time over all files of some folders, by default the installed packages and
// this checkout.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asId } from '#lib/id.ts';
import { customScannerOf } from '#resources/code/secret-scanning/detection/custom-scanner.ts';
import { genericPatterns, providerPatterns } from '#resources/code/secret-scanning/detection/patterns.ts';
import { type Scanner, scannerOf } from '#resources/code/secret-scanning/detection/scanner.ts';

const folders =
  process.argv.length > 2 ? process.argv.slice(2) : ['src', 'test', 'docs', 'node_modules/@types', 'node_modules/octokit'];
const rounds = 5;
const maxFile = 5 * 1024 * 1024;

const files = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
    .filter((bytes) => bytes.length <= maxFile && !bytes.subarray(0, 8_000).includes(0)),
);
const total = files.reduce((sum, { length }) => sum + length, 0);
const scanner = scannerOf([...providerPatterns, ...genericPatterns]);

// Typical custom patterns: a prefix, words before a number, and hexadecimal digits.
const expressions = [
  'ENG-[0-9a-f]{32}',
  '[a-z]+_token_[0-9]{6,}',
  '[0-9a-f]{40}',
  '(?i)internal[-_]key["\' ]*[:=] *[0-9a-z]{24}',
];
const custom = customScannerOf(
  Array.from({ length: 20 }, (_, at) => ({
    id: asId<'secret_patterns'>(at),
    name: `Pattern ${at}`,
    slug: `pattern-${at}`,
    expression: (expressions[at % expressions.length] ?? '').replace('ENG', `ENG${at}`),
    start_delimiter: '\\A|[^0-9A-Za-z]',
    end_delimiter: '\\z|[^0-9A-Za-z]',
    must_match: [],
    must_not_match: [],
  })),
);

const passes: readonly (readonly [name: string, scanners: readonly Scanner[]])[] = [
  ['known forms', [scanner]],
  ['and 20 custom patterns', [scanner, custom]],
];
for (const [name, scanners] of passes)
  for (let round = 1; round <= rounds; round++) {
    const before = process.cpuUsage();
    const found = files.reduce((sum, bytes) => sum + scanners.flatMap((one) => one.scan(bytes, 200)).length, 0);
    const { user, system } = process.cpuUsage(before);
    const speed = Math.round(total / (user + system));
    console.log(
      `${name}: ${files.length} files, ${Math.round(total / 1e6)} MB, ${found} secrets: ${speed} MB a second of processor time`,
    );
  }

// A worst case that an attacker would push: only prefixes, each of which triggers a closer check.
for (const piece of [
  'AC ',
  'sk-ant- ',
  'postgres://',
  '-----BEGIN RSA PRIVATE KEY-----\n',
  'https://hooks.slack.com/services/T',
]) {
  const bytes = Buffer.from(piece.repeat(Math.ceil(maxFile / piece.length)), 'latin1');
  const before = process.cpuUsage();
  scanner.scan(bytes, 200);
  const { user, system } = process.cpuUsage(before);
  console.log(`${JSON.stringify(piece)} repeated: ${Math.round(bytes.length / (user + system))} MB a second`);
}
