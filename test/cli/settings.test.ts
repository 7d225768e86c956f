import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig, type SettingName, settingNames, settings } from '#cli/settings.ts';

const error = (name: SettingName, text: string): string => {
  try {
    readConfig({}, { [settings[name].variable]: text });
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
  return '';
};

test('a flag wins over a variable, and a variable over the initial value', () => {
  const env = { HEARTH_PORT: '4000', HEARTH_HOST: '' };
  const { config, sources } = readConfig({ port: '5000' }, env);
  expect(config).toMatchObject({
    port: 5000,
    host: '127.0.0.1',
    vocabulary: 'service',
    workers: 1,
    jobs: true,
    rateLimits: true,
  });
  expect(sources).toMatchObject({ port: 'flag', host: 'initial', url: 'none' });
  expect(readConfig({}, env).sources.port).toBe('variable');
});

test.each<[SettingName, string]>([
  ['port', '65536'],
  ['port', '-1'],
  ['port', '3000x'],
  ['workers', '0'],
  ['url', 'code.example.com'],
  ['url', 'https://code.example.com/hearth'],
  ['url', 'https://user@code.example.com'],
  ['databaseUrl', 'mysql://x/y'],
  ['webhookAllow', '10.0.0.0/8,all'],
  ['registryAddresses', 'cloud_x=https://login.example'],
  ['registryAddresses', 'cloud_a=login.example'],
  ['registryAddresses', 'cloud_a'],
  ['registryAddresses', 'cloud_a=https://login.example,'],
  ['adminToken', 'too-short'],
  ['adminToken', 'x'.repeat(256)],
  ['adminToken', 'with spaces that are not fit'],
  ['secretKey', 'c2hvcnQ='],
  ['embeddings', 'openai'],
  ['embeddingsUrl', 'ftp://x/v1/embeddings'],
  ['embeddingsUrl', 'https://user:word@x/v1/embeddings'],
  ['assistantUrl', 'https://user:word@x/v1'],
  ['assistantRepositories', 'private'],
  ['log', 'loud'],
])('%s refuses %s and names its variable', (name, text) => {
  expect(error(name, text)).toMatch(new RegExp(`^${settings[name].variable} must `));
});

test.each<[SettingName, string]>([
  ['port', '0'],
  ['embeddings', 'off'],
  ['embeddingsUrl', 'http://127.0.0.1:11434/v1/embeddings'],
  ['assistantUrl', 'http://127.0.0.1:11434/v1'],
  ['assistantRepositories', 'all'],
  ['url', 'https://code.example.com/'],
  ['webhookAllow', '10.0.0.0/8, fd00::/8, 127.0.0.1'],
  ['registryAddresses', 'cloud_a=https://login.example, cloud_b_roles=https://sts.{region}.internal.example/x?y=z'],
  ['adminToken', '!'.repeat(20)],
  ['secretKey', 'ab'.repeat(32)],
  ['secretKey', Buffer.alloc(32).toString('base64')],
])('%s takes %s', (name, text) => {
  expect(error(name, text)).toBe('');
});

test('docs/configuration.md has a row for every setting', async () => {
  const text = await readFile(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
  const rows = settingNames.map((name) => {
    const { flag, variable, initial, about } = { flag: undefined, initial: undefined, ...settings[name] };
    return `| ${flag ? `\`${flag.split(' ')[0]}\`` : ''} | \`${variable}\` | ${initial ?? ''} | ${about} |`;
  });
  expect(text.split('\n').filter((line) => line.includes('| `'))).toEqual(expect.arrayContaining(rows));
});
