import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { system } from '#lib/caller.ts';
import {
  type BotConfig,
  configPaths,
  type ParsedConfig,
  type UpdateEntry,
} from '#resources/security/dependency-bot/config/config.ts';
import { entryFields } from '#resources/security/dependency-bot/config/entry.ts';
import { parseConfig } from '#resources/security/dependency-bot/config/parse.ts';
import { parse } from '#resources/security/dependency-bot/config/parser.ts';
import { encodeRequest } from '#resources/security/dependency-bot/updates/contract.ts';

const entry = { 'package-ecosystem': 'npm', directory: '/', schedule: { interval: 'weekly' } };
const fileOf = (updates: readonly unknown[], more: object = {}): string => stringify({ version: 2, updates, ...more });

function read(content: string): BotConfig {
  const { config, problems } = parse({ content });
  expect(problems).toEqual([]);
  if (!config) throw new Error('no config');
  return config;
}
const readEntry = (more: object, file: object = {}): UpdateEntry | undefined =>
  read(fileOf([{ ...entry, ...more }], file)).updates[0];

test('an entry has the defaults of the public format', () => {
  expect(read(fileOf([entry]))).toEqual({
    registries: [],
    updates: [
      {
        ecosystem: 'npm',
        directories: ['/'],
        schedule: { interval: 'weekly', day: 'monday', time: undefined, timezone: 'UTC', cron: undefined },
        version: { ignore: [], groups: [], strategy: 'auto', limit: 5 },
        securityGroups: [],
        labels: undefined,
        assignees: [],
        milestone: undefined,
        targetBranch: undefined,
        commitMessage: { prefix: undefined, prefixDevelopment: undefined, includesScope: false },
        separator: '/',
        rebases: true,
        registries: [],
      },
    ],
  });
});

test('all that an entry says is read', () => {
  const content = `
version: 2
enable-beta-ecosystems: true
registries:
  mirror:
    type: npm-registry
    url: https://npm.example
    token: \${{ secrets.npm_token }}
    replaces-base: true
  python: { type: python-index, url: "https://pip.example/simple", username: bot, password: "\${{secrets.PIP}}" }
  images: { type: docker-registry, url: registry.example, username: x, password: "\${{secrets.X}}" }
updates:
  - package-ecosystem: npm
    directories: ["/packages/*", web//, ./]
    schedule: { interval: cron, cronjob: "30 4 * * 1,3", timezone: Europe/Zurich }
    open-pull-requests-limit: 0
    allow: [{ dependency-type: production }, { dependency-name: "@acme/*" }]
    ignore:
      - dependency-name: left
        versions: [">= 2", "< 3"]
      - { dependency-name: "*", update-types: ["version-update:semver-major"] }
      - { dependency-name: right, versions: 3.x }
    groups:
      acme: { patterns: ["@acme/*"], exclude-patterns: ["@acme/old"], update-types: [minor, patch] }
      tools: { dependency-type: development, applies-to: version-updates }
      mended: { applies-to: security-updates, patterns: ["*"] }
    labels: []
    assignees: [ann]
    reviewers: [bob]
    milestone: 4
    target-branch: develop
    commit-message: { prefix: fix, prefix-development: chore, include: scope }
    pull-request-branch-name: { separator: "-" }
    rebase-strategy: disabled
    registries: "*"
    vendor: true
    versioning-strategy: widen
    insecure-external-code-execution: deny
    cooldown: { default-days: 5, semver-major-days: 30, include: ["a*"], exclude: [b] }
`;
  expect(read(content)).toEqual({
    registries: [
      {
        name: 'mirror',
        type: 'npm-registry',
        url: 'https://npm.example',
        username: undefined,
        password: undefined,
        token: { secret: 'NPM_TOKEN' },
        replacesBase: true,
      },
      {
        name: 'python',
        type: 'python-index',
        url: 'https://pip.example/simple',
        username: { text: 'bot' },
        password: { secret: 'PIP' },
        token: undefined,
        replacesBase: false,
      },
    ],
    updates: [
      {
        ecosystem: 'npm',
        directories: ['/packages/*', '/web', '/'],
        schedule: { interval: 'cron', day: 'monday', time: undefined, timezone: 'Europe/Zurich', cron: '30 4 * * 1,3' },
        version: {
          allow: [{ type: 'production' }, { name: '@acme/*' }],
          ignore: [
            { name: 'left', versions: ['>= 2', '< 3'] },
            { name: '*', update_types: ['major'] },
            { name: 'right', versions: ['3.x'] },
          ],
          groups: [
            { name: 'acme', patterns: ['@acme/*'], exclude_patterns: ['@acme/old'], update_types: ['minor', 'patch'] },
            { name: 'tools', patterns: [], exclude_patterns: [], dependency_type: 'development' },
          ],
          strategy: 'widen',
          cooldown: { major: 30, minor: 5, patch: 5, include: ['a*'], exclude: ['b'] },
          limit: 0,
        },
        securityGroups: [{ name: 'mended', patterns: ['*'], exclude_patterns: [] }],
        labels: [],
        assignees: ['ann'],
        milestone: 4,
        targetBranch: 'develop',
        commitMessage: { prefix: 'fix', prefixDevelopment: 'chore', includesScope: true },
        separator: '-',
        rebases: false,
        registries: ['mirror', 'python', 'images'],
      },
    ],
  });
});

test('other ecosystems are refused by name, with their line, and don’t stop the other entries', () => {
  const content =
    'version: 2\nupdates:\n  - package-ecosystem: docker\n    directory: /\n    unknown: 1\n' +
    fileOf([entry]).split('updates:\n')[1];
  const { config, problems } = parse({ content });

  expect(config?.updates.map(({ ecosystem }) => ecosystem)).toEqual(['npm']);
  expect(problems).toEqual([
    {
      message:
        'updates[0].package-ecosystem docker is not supported here (only npm, pip, gomod): Renovate is the better choice for it',
      line: 3,
    },
  ]);
});

test.each<[object, string]>([
  [{ directory: undefined }, 'updates[0] needs a directory or directories'],
  [{ directories: ['/a'] }, 'updates[0] needs a directory or directories'],
  [{ directory: '/a/../..' }, 'updates[0].directory leads out of the repository'],
  [{ directory: 'a\nb' }, 'updates[0].directory has characters that aren’t allowed'],
  [{ schedule: undefined }, 'updates[0] has no schedule'],
  [{ schedule: { interval: 'hourly' } }, 'updates[0].schedule.interval has to be one of daily, weekly'],
  [{ schedule: { interval: 'daily', time: '25:00' } }, 'updates[0].schedule.time has to be a time such as 09:30'],
  [{ schedule: { interval: 'daily', timezone: 'Mars/Olympus' } }, 'updates[0].schedule.timezone is no time zone'],
  [{ schedule: { interval: 'cron' } }, 'updates[0].schedule has no cronjob'],
  [{ schedule: { interval: 'cron', cronjob: '* * * * * *' } }, 'updates[0].schedule.cronjob is no line of cron with five parts'],
  [{ schedule: { interval: 'cron', cronjob: '0 0 30 2 *' } }, 'updates[0].schedule.cronjob never comes'],
  [{ 'open-pull-requests-limit': -1 }, 'updates[0].open-pull-requests-limit has to be a whole number from 0 to 100'],
  [{ 'open-pull-requests-limit': '5' }, 'updates[0].open-pull-requests-limit has to be a whole number from 0 to 100'],
  [{ labels: [1] }, 'updates[0].labels[0] has to be a text'],
  [{ ignore: [{}] }, 'updates[0].ignore[0] names nothing'],
  [{ ignore: [{ 'dependency-name': 'a', 'update-types': ['major'] }] }, 'updates[0].ignore[0].update-types[0] has to be one of'],
  [{ groups: { a: {} } }, 'updates[0].groups.a says nothing of what is in it'],
  [{ groups: { '[x](y)': { patterns: ['*'] } } }, 'updates[0].groups.[x](y) has to begin with a letter'],
  [{ groups: { a: { patterns: ['*'], 'group-by': 'dependency-name' } } }, 'updates[0].groups.a.group-by is not known here'],
  [{ registries: ['gone'] }, 'updates[0].registries[0] names gone, which is not among the registries of the file'],
  [{ 'insecure-external-code-execution': 'allow' }, 'updates[0].insecure-external-code-execution has to be deny'],
  [{ 'pull-request-branch-name': { separator: '..' } }, 'updates[0].pull-request-branch-name.separator has to be one of'],
  [{ cooldown: { 'default-days': 91 } }, 'updates[0].cooldown.default-days has to be a whole number from 0 to 90'],
  [{ 'exclude-paths': ['a'] }, 'updates[0].exclude-paths is not known here'],
])('an entry with %j is left out, and the others stay', (more, message) => {
  const { config, problems } = parse({
    content: fileOf([
      { ...entry, ...more },
      { ...entry, directory: '/other' },
    ]),
  });

  expect(problems).toEqual([{ message: expect.stringContaining(message), line: expect.any(Number) }]);
  expect(config?.updates.map(({ directories }) => directories)).toEqual([['/other']]);
});

test('an entry about the same as one before it is left out', () => {
  const { config, problems } = parse({
    content: fileOf([entry, { ...entry, schedule: { interval: 'daily' } }, { ...entry, 'target-branch': 'next' }]),
  });

  expect(config?.updates).toHaveLength(2);
  expect(problems).toMatchObject([{ message: expect.stringContaining('updates[1] is about the same'), line: 7 }]);
});

test.each<[string, string, number]>([
  ['nothing', '', 1],
  ['a list', '- 1', 1],
  ['another version', 'version: 1\nupdates: []', 1],
  ['no updates', 'version: 2', 1],
  ['YAML that is none', 'version: 2\nupdates: [', 2],
  ['a name twice', 'version: 2\nupdates: []\nupdates: []', 3],
  ['an unknown name', 'version: 2\nmulti: 1\nupdates: []', 2],
  ['a registry without an address', fileOf([], { registries: { a: { type: 'npm-registry' } } }), 4],
  ['a registry without a sign-in', fileOf([], { registries: { a: { type: 'npm-registry', url: 'https://a' } } }), 4],
  ['a secret in the file', fileOf([], { registries: { a: { type: 'npm-registry', url: 'https://a', token: 'x' } } }), 7],
  ['a password in an address', fileOf([], { registries: { a: { type: 'npm-registry', url: 'https://a:b@c' } } }), 6],
  [
    'another expression',
    fileOf([], { registries: { a: { type: 'npm-registry', url: 'https://a', token: `\${{ env.X }}` } } }),
    7,
  ],
  ['an alias of nothing', 'version: 2\nupdates: *gone', 1],
  ['deep parts', '['.repeat(20_000), 1],
])('a file with %s has no effect', (_what, content, line) => {
  const parsed = parse({ content });

  expect(parsed.config).toBeUndefined();
  expect(parsed.problems[0]).toMatchObject({ line });
});

test('anchors may be used, and can’t make a file larger than its bounds', async () => {
  const anchored =
    'version: 2\nupdates:\n- &a {package-ecosystem: npm, directory: /, schedule: &s {interval: daily}}\n' +
    '- {package-ecosystem: pip, directory: /, schedule: *s}\n- *a\n';
  expect(parse({ content: anchored })).toMatchObject({
    config: { updates: [{ ecosystem: 'npm' }, { ecosystem: 'pip' }] },
    problems: [{ line: 5 }],
  });
  const lines = Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${Array(10).fill(`*a${at}`).join(', ')}]`);
  const bomb = ['a0: &a0 [x]', ...lines, 'version: 2', 'updates: *a12'].join('\n');
  expect(await parseConfig(bomb, system)).toMatchObject({ problems: [{ message: expect.stringContaining('parts') }] });
  expect(await parseConfig('a'.repeat(300 * 1024), system)).toMatchObject({
    problems: [{ message: expect.stringContaining('256 KiB') }],
  });
});

test('a file is read in a worker thread as here', async () => {
  expect(await parseConfig(fileOf([entry]), system)).toEqual(parse({ content: fileOf([entry]) }));
});

test('whatever a file says, it is read or has a problem, and what is read is a request', async () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('npm', 'pip', '/', '*', 'daily', 'cron', '0 0 * * *', 'major', 'scope', '-'),
  );
  const value = fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null), fc.array(word), fc.dictionary(word, word));
  const name = fc.constantFrom(
    'directory',
    'directories',
    'schedule',
    'allow',
    'ignore',
    'groups',
    'labels',
    'assignees',
    'milestone',
    'registries',
    'commit-message',
    'cooldown',
    'versioning-strategy',
    'open-pull-requests-limit',
    'target-branch',
    'x',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.dictionary(name, value)), async (changes) => {
      const content = fileOf(changes.map((one, at) => ({ ...entry, directory: `/${at}`, ...one })));
      const parsed: ParsedConfig = parse({ content });
      expect((parsed.config?.updates.length ?? 0) + parsed.problems.length).toBeGreaterThanOrEqual(changes.length > 0 ? 1 : 0);
      for (const { line, message } of parsed.problems) {
        expect(line).toBeGreaterThanOrEqual(1);
        expect(message.length).toBeGreaterThan(0);
      }
      for (const { ecosystem, version, directories } of parsed.config?.updates ?? [])
        for (const directory of directories) await encodeRequest({ ecosystem, directory, kind: 'version', version, open: [] });
    }),
    { numRuns: 500 },
  );
});

test('texts that are no configuration never throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.json()), (content) => {
      const { config, problems } = parse({ content });
      expect(config === undefined ? problems.length : 1).toBeGreaterThan(0);
    }),
    { numRuns: 1_000 },
  );
});

test('a field without a value is as none', () => {
  expect(readEntry({ labels: null, ignore: null })).toEqual(readEntry({}));
});

test('the documentation names the files in their order, and each field', () => {
  const page = readFileSync(new URL('../../../../../docs/dependency-bot.md', import.meta.url), 'utf8');
  expect(page).toMatch(new RegExp(configPaths.map((path) => `\`${path.replaceAll('.', '\\.')}\``).join('[\\s,and]+')));
  expect(entryFields.filter((field) => !page.includes(`\`${field}\``))).toEqual([]);
});

test('the entries of a file name so many directories together', () => {
  const many = (first: number) => Array.from({ length: 100 }, (_, at) => `/${first + at}`);
  const entries = Array.from({ length: 6 }, (_, at) => ({ ...entry, directory: undefined, directories: many(at * 100) }));
  const { config, problems } = parse({ content: fileOf(entries) });
  expect(config?.updates).toHaveLength(5);
  expect(problems).toMatchObject([
    { message: 'updates[5] is left out, since the entries name more than 500 directories together' },
  ]);
});
