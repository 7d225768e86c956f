import { expect, test } from 'vitest';
import type { UpdateRequest, VersionRules } from '#resources/security/dependency-bot/updates/contract.ts';
import { hasProgram, updateJob } from './job.ts';
import { packageIndex, type Release } from './package-index.ts';

const needed = (await hasProgram('python3', ['-I', '-c', 'from pip._vendor import requests'])) && (await hasProgram('git'));

const releases = ['1.0', '1.1', '1.2', '1.3rc1', '1.3', '2.0'].map((version) => ({ version }));
const vulnerable = { name: 'Left_Pad', patched: '1.2', vulnerable: ['< 1.2'] };
const pip: Partial<UpdateRequest> = { ecosystem: 'pip', security: [vulnerable] };
const settings = (url: string) => ({ PIP_INDEX_URL: url, PIP_CONFIG_FILE: '/dev/null' });

test.skipIf(!needed)('a pinned line gets the smallest version that mends it, and nothing else changes', async () => {
  await using server = await packageIndex({ 'left-pad': releases });
  const before = '# first\r\nother>=1\nleft.pad [socks] == 1.0 ; python_version > "3"  # why==1.0\n\n';
  await using job = await updateJob({ 'requirements.txt': before, 'readme.txt': 'left-pad==1.0' }, settings(server.url));

  const { results, skipped } = await job.run(pip);

  expect(skipped).toEqual([]);
  expect(results).toMatchObject([{ dependencies: [{ name: 'left.pad', from: '1.0', to: '1.2', type: 'production' }] }]);
  expect(await job.patched(results[0]?.patch ?? '', 'requirements.txt')).toBe(before.replace('== 1.0 ;', '== 1.2 ;'));
  expect(await job.changed(results[0]?.patch ?? '')).toHaveLength(1);
});

test.skipIf(!needed)('hashes are those of all files of the new version', async () => {
  const hashes = ['b'.repeat(64), 'a'.repeat(64)];
  await using server = await packageIndex({ 'left-pad': [{ version: '1.0' }, { version: '1.2', hashes }] });
  const one = 'left-pad==1.0 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\n    # via app\nnext==1\n';
  const other = `left-pad==1.0 --hash=sha256:${'0'.repeat(64)}  # why\n`;
  await using job = await updateJob({ 'requirements.txt': one, 'requirements-dev.txt': other }, settings(server.url));

  const { results } = await job.run(pip);

  const patch = results[0]?.patch ?? '';
  expect(await job.patched(patch, 'requirements.txt')).toBe(
    `left-pad==1.2 \\\n    --hash=sha256:${'a'.repeat(64)} \\\n    --hash=sha256:${'b'.repeat(64)}\n    # via app\nnext==1\n`,
  );
  expect(await job.patched(patch, 'requirements-dev.txt')).toBe(
    `left-pad==1.2 --hash=sha256:${'a'.repeat(64)} --hash=sha256:${'b'.repeat(64)}  # why\n`,
  );
});

test.skipIf(!needed).each(['json', 'html'] as const)(
  'versions that are withdrawn, vulnerable, or for other Pythons are left out, of an index that speaks %s',
  async (form) => {
    const all: Release[] = [
      ...releases.slice(0, 2),
      { version: '1.2', yanked: 'broken' },
      { version: '1.2.1' },
      { version: '1.2.2', ...(form === 'json' ? { python: '<3' } : { yanked: true }) },
      { version: '1.4' },
    ];
    await using server = await packageIndex({ 'left-pad': all }, form);
    await using job = await updateJob({ 'requirements.txt': 'left-pad==1.0\n' }, settings(server.url));

    const { results } = await job.run({
      ecosystem: 'pip',
      security: [{ ...vulnerable, vulnerable: ['< 1.2', '= 1.2.1 || = 9'] }],
    });

    expect(results).toMatchObject([{ dependencies: [{ to: '1.4' }] }]);
  },
);

test.skipIf(!needed)(
  'files that are included are changed too, but none outside of the repository or with another name',
  async () => {
    await using server = await packageIndex({ 'left-pad': releases });
    await using job = await updateJob(
      {
        'api/requirements.txt': '-r ../common/requirements/base.txt\n-c constraints.txt\n-r ../../../etc/passwd\n-r secret.cfg\n',
        'api/constraints.txt': 'left-pad===1.1\n',
        'api/secret.cfg': 'left-pad==1.0\n',
        'common/requirements/base.txt': 'left-pad==1.0\n-r base.txt\n',
        'requirements.txt': 'left-pad==1.0\n',
      },
      settings(server.url),
    );

    const { results, skipped } = await job.run({ ...pip, directory: '/api' });

    expect((await job.changed(results[0]?.patch ?? '')).map((line) => line.split('\t')[1])).toEqual([
      'api/constraints.txt',
      'common/requirements/base.txt',
    ]);
    expect(skipped).toEqual([{ reason: 'api/secret.cfg does not have the name of a requirements file' }]);
  },
);

test.skipIf(!needed)('what can’t be updated is skipped with its reason', async () => {
  await using server = await packageIndex({ 'left-pad': releases });
  const text = 'left-pad>=1.0\nold==1.0\ngone==0.9\n';
  await using job = await updateJob({ 'requirements.txt': text }, settings(server.url));

  const { results, skipped } = await job.run({
    ecosystem: 'pip',
    security: [
      vulnerable,
      { ...vulnerable, name: 'missing' },
      { ...vulnerable, name: 'gone' },
      { name: 'old', patched: '1.0', vulnerable: ['< 1.0'] },
    ],
  });

  expect(results).toEqual([]);
  expect(skipped).toEqual([
    { name: 'left-pad', reason: 'It is not pinned by `==`' },
    { name: 'missing', reason: 'No requirements file names it' },
    { name: 'gone', reason: 'No index has it' },
    { name: 'old', reason: 'No index has it' },
  ]);
});

const rules: VersionRules = { ignore: [], groups: [], strategy: 'auto', limit: 5 };

test.skipIf(!needed)('version updates follow groups, ignored versions, pauses and the limit', async () => {
  const recent = new Date(Date.now() - 86_400_000).toISOString();
  await using server = await packageIndex({
    'left-pad': releases,
    'acme-one': [{ version: '1.0' }, { version: '1.1' }, { version: '2.0' }],
    'acme-two': [{ version: '1.0' }, { version: '1.1', time: recent }],
  });
  const text = 'left-pad==1.0\nacme-one==1.0\nacme-two==1.0\n';
  await using job = await updateJob({ 'requirements.txt': text }, settings(server.url));
  const group = { name: 'acme', patterns: ['acme-*'], exclude_patterns: [], update_types: ['minor' as const] };
  const found = async (version: object) =>
    (await job.run({ ecosystem: 'pip', kind: 'version', version: { ...rules, ...version } })).results.map(
      ({ group, dependencies }) => [group, ...dependencies.map(({ name, to }) => `${name} ${to}`)].join(': '),
    );
  const cooldown = { major: 0, minor: 5, patch: 0, include: [], exclude: [] };

  expect(await found({ groups: [group] })).toEqual(['acme: acme-one 1.1: acme-two 1.1', ': acme-one 2.0', ': left-pad 2.0']);
  expect(await found({ groups: [group], limit: 1 })).toEqual(['acme: acme-one 1.1: acme-two 1.1']);
  expect(await found({ cooldown })).toEqual([': acme-one 2.0', ': left-pad 2.0']);
  expect(await found({ ignore: [{ name: 'acme*' }, { name: 'left-pad', versions: ['2.x'] }] })).toEqual([': left-pad 1.3']);
  expect(await found({ ignore: [{ name: '*', update_types: ['major'] }] })).toEqual([
    ': acme-one 1.1',
    ': acme-two 1.1',
    ': left-pad 1.3',
  ]);
  expect(await found({ ignore: [{ name: '*', versions: ['~> 1.0', '>= 2, < 3'] }] })).toEqual([]);
  expect(await found({ allow: [{ name: 'left-pad' }] })).toEqual([': left-pad 2.0']);
});

test.skipIf(!needed)('the password of an index goes to that index alone, and is in no reason', async () => {
  await using own = await packageIndex({ 'left-pad': releases });
  await using other = await packageIndex({ 'left-pad': [{ version: '9.9' }] });
  const options = `--index-url ${other.url}\n--extra-index-url=${other.url}\n-e git+${other.url}#egg=left-pad\n`;
  const text = `${options}left-pad==1.0\nmissing==1\n`;
  await using job = await updateJob(
    { 'requirements.txt': text },
    { PIP_INDEX_URL: own.withUser, PIP_EXTRA_INDEX_URL: 'http://user:secret@127.0.0.1:1/simple', PIP_CONFIG_FILE: '/dev/null' },
  );

  const { skipped, log } = await job.run(pip);

  expect(own.requests).toMatchObject([{ authorization: `Basic ${Buffer.from('user:secret').toString('base64')}` }]);
  expect(other.requests).toEqual([]);
  expect(skipped).toEqual([{ name: 'left-pad', reason: "An index can't be read (ConnectionError)" }]);
  expect(log).not.toContain('secret');
});

test.skipIf(!needed)('a package of the same name in another index isn’t taken for it', async () => {
  await using own = await packageIndex({ 'left-pad': releases.slice(0, 3) });
  await using other = await packageIndex({ 'left-pad': [{ version: '1.2.5' }, { version: '99.0' }] });
  await using job = await updateJob(
    { 'requirements.txt': 'left-pad==1.0\n' },
    { PIP_INDEX_URL: other.url, PIP_EXTRA_INDEX_URL: own.url, PIP_CONFIG_FILE: '/dev/null' },
  );

  const { results } = await job.run({ ecosystem: 'pip', kind: 'version', version: rules });

  expect(results).toMatchObject([{ dependencies: [{ to: '1.2' }] }]);
});
