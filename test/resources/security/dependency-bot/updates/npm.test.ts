import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { VersionRules } from '#resources/security/dependency-bot/updates/contract.ts';
import { hasProgram, type Job, updateJob } from './job.ts';
import { type Manifest, npmRegistry, type Registry } from './npm-registry.ts';

const needed = await hasProgram('npm');

const vulnerable = { name: 'left', patched: '1.2.0', vulnerable: ['< 1.2.0'] };
const lefts = ['1.0.0', '1.1.0', '1.2.0', '1.3.0', '2.0.0-rc.1', '2.0.0'].map((version) => ({ name: 'left', version }));

/** A project with a lock file that npm would have written. */
async function project(
  registry: Registry,
  manifest: object,
  locked: readonly Manifest[],
  more: Readonly<Record<string, string | { link: string }>> = {},
): Promise<Job> {
  const packages = Object.fromEntries(
    locked.map(({ name, version, dependencies }) => [
      `node_modules/${name}`,
      {
        version,
        resolved: `${registry.url}/${name}/-/${name.split('/').at(-1)}-${version}.tgz`,
        ...(dependencies ? { dependencies } : {}),
      },
    ]),
  );
  const lock = { name: 'app', lockfileVersion: 3, requires: true, packages: { '': { name: 'app', ...manifest }, ...packages } };
  return updateJob(
    {
      'package.json': `${JSON.stringify({ name: 'app', private: true, ...manifest }, null, 2)}\n`,
      'package-lock.json': `${JSON.stringify(lock, null, 2)}\n`,
      ...more,
    },
    { npm_config_registry: registry.url, NPM_CONFIG_USERCONFIG: '/nonexistent' },
  );
}

test.skipIf(!needed)('a vulnerable package moves to the smallest version that mends it, in the lock file alone', async () => {
  await using registry = await npmRegistry(lefts);
  await using job = await project(registry, { dependencies: { left: '^1.0.0' } }, [{ name: 'left', version: '1.0.0' }]);

  const { results, skipped } = await job.run({ security: [vulnerable] });

  expect(skipped).toEqual([]);
  expect(results).toMatchObject([{ dependencies: [{ name: 'left', from: '1.0.0', to: '1.2.0', type: 'production' }] }]);
  expect(await job.changed(results[0]?.patch ?? '')).toEqual([expect.stringMatching(/^:100644 100644 .* M\tpackage-lock.json$/)]);
});

test.skipIf(!needed)('a range that does not allow the version is raised in the manifest, whose other text stays', async () => {
  await using registry = await npmRegistry(lefts);
  const manifest = `{\r\n\t"private": true,\r\n\t"dependencies": {"left" : "~1.0.0" },\r\n\t"left": "~1.0.0"\r\n}`;
  await using job = await project(registry, { dependencies: { left: '~1.0.0' } }, [{ name: 'left', version: '1.0.0' }], {
    'package.json': manifest,
  });

  const { results, skipped } = await job.run({ security: [vulnerable] });

  expect(skipped).toEqual([]);
  const patch = results[0]?.patch ?? '';
  expect(await job.patched(patch, 'package.json')).toBe(manifest.replace('"~1.0.0"', '"~1.2.0"'));
  const lock = JSON.parse(await job.patched(patch, 'package-lock.json'));
  expect(lock.packages['']).toMatchObject({ dependencies: { left: '~1.2.0' } });
  expect(lock.packages['node_modules/left']).toMatchObject({ version: '1.2.0', integrity: expect.stringMatching(/^sha512-/) });
});

test.skipIf(!needed)('a transitive package moves with the packages that its new version requires', async () => {
  const right = { name: 'right', version: '1.0.0', dependencies: { left: '^1.0.0' } };
  const needy = lefts.map((one) => (one.version === '1.2.0' ? { ...one, dependencies: { deep: '1.0.0' } } : one));
  await using registry = await npmRegistry([...needy, right, { name: 'deep', version: '1.0.0' }]);
  await using job = await project(registry, { devDependencies: { right: '1.0.0' } }, [right, { name: 'left', version: '1.1.0' }]);

  const { results, skipped } = await job.run({ security: [vulnerable] });

  expect(skipped).toEqual([]);
  expect(results).toMatchObject([{ dependencies: [{ name: 'left', from: '1.1.0', to: '1.2.0', type: 'indirect' }] }]);
  const lock = JSON.parse(await job.patched(results[0]?.patch ?? '', 'package-lock.json'));
  expect(lock.packages['node_modules/deep']).toMatchObject({ version: '1.0.0' });
});

test.skipIf(!needed)('what no requirement allows is skipped, and names what requires it', async () => {
  const right = { name: 'right', version: '1.0.0', dependencies: { left: '~1.1.0' } };
  await using registry = await npmRegistry([...lefts, right]);
  await using job = await project(registry, { dependencies: { right: '1.0.0' } }, [right, { name: 'left', version: '1.1.0' }]);

  const { results, skipped } = await job.run({
    security: [vulnerable, { name: 'gone', patched: '2.0.0', vulnerable: ['< 2.0.0'] }],
  });

  expect(results).toEqual([]);
  expect(skipped).toEqual([
    { name: 'left', reason: 'right 1.0.0 requires ~1.1.0, not 1.2.0' },
    { name: 'gone', reason: expect.stringContaining('The registry doesn’t give the versions'.replace('’', "'")) },
  ]);
});

test.skipIf(!needed)('each of several versions of a package moves to its own smallest one', async () => {
  const right = { name: 'right', version: '1.0.0', dependencies: { left: '^2.0.0' } };
  await using registry = await npmRegistry([
    ...lefts,
    { name: 'left', version: '2.1.0' },
    { name: 'left', version: '2.2.0' },
    right,
  ]);
  await using job = await project(registry, { dependencies: { left: '^1.0.0', right: '1.0.0' } }, [
    { name: 'left', version: '1.0.0' },
    right,
    { name: 'right/node_modules/left', version: '2.0.0' },
  ]);

  const { results } = await job.run({
    security: [vulnerable, { name: 'left', patched: '2.1.0', vulnerable: ['>= 2.0.0, < 2.1.0'] }],
  });

  expect(results).toMatchObject([
    {
      dependencies: [
        { name: 'left', from: '1.0.0', to: '1.2.0', type: 'production' },
        { name: 'left', from: '2.0.0', to: '2.1.0', type: 'indirect' },
      ],
    },
  ]);
});

test.skipIf(!needed)('versions that are vulnerable in another way, and versions before a release, are left out', async () => {
  await using registry = await npmRegistry(lefts);
  await using job = await project(registry, { dependencies: { left: '^1.0.0' } }, [{ name: 'left', version: '1.0.0' }]);

  const { results } = await job.run({ security: [{ ...vulnerable, vulnerable: ['< 1.2.0', '>= 1.2.0, < 1.4.0'] }] });

  expect(results).toMatchObject([{ dependencies: [{ to: '2.0.0' }] }]);
});

test.skipIf(!needed)('the manifests of workspaces are changed too, and their lock file above them', async () => {
  await using registry = await npmRegistry(lefts);
  const web = { name: 'web', version: '1.0.0', dependencies: { left: '1.0.0' } };
  const lock = {
    name: 'app',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'app', workspaces: ['packages/*'] },
      'node_modules/web': { resolved: 'packages/web', link: true },
      'packages/web': web,
      'node_modules/left': { version: '1.0.0' },
    },
  };
  await using job = await project(registry, {}, [], {
    'front/package.json': JSON.stringify({ name: 'app', private: true, workspaces: ['packages/*'] }),
    'front/packages/web/package.json': JSON.stringify(web, null, 4),
    'front/package-lock.json': JSON.stringify(lock, null, 2),
  });

  const { results, skipped } = await job.run({ directory: '/front', security: [vulnerable] });

  expect(skipped).toEqual([]);
  expect(await job.changed(results[0]?.patch ?? '')).toEqual([
    expect.stringMatching(/M\tfront\/package-lock.json$/),
    expect.stringMatching(/M\tfront\/packages\/web\/package.json$/),
  ]);
  const below = await job.run({ directory: '/front/packages/web', security: [vulnerable] });
  expect(below).toMatchObject({
    results: [],
    skipped: [{ reason: expect.stringContaining('The lock file is in the folder /front') }],
  });
});

test.skipIf(!needed).each([1, 2])('a lock file of version %i keeps its version', async (lockfileVersion) => {
  await using registry = await npmRegistry(lefts);
  const entry = { version: '1.0.0', resolved: `${registry.url}/left/-/left-1.0.0.tgz` };
  const packages = { '': { name: 'app', dependencies: { left: '^1.0.0' } }, 'node_modules/left': entry };
  const lock = {
    name: 'app',
    lockfileVersion,
    requires: true,
    ...(lockfileVersion === 2 ? { packages } : {}),
    dependencies: { left: entry },
  };
  await using job = await project(registry, { dependencies: { left: '^1.0.0' } }, [], {
    'package-lock.json': JSON.stringify(lock, null, 2),
  });

  const { results } = await job.run({ security: [vulnerable] });

  const after = JSON.parse(await job.patched(results[0]?.patch ?? '', 'package-lock.json'));
  expect(after).toMatchObject({ lockfileVersion, dependencies: { left: { version: '1.2.0' } } });
});

test.skipIf(!needed)('without a lock file, the requirement alone is changed', async () => {
  await using registry = await npmRegistry(lefts);
  const manifest = '{ "name": "app", "devDependencies": { "left": ">=1.0.0" } }';
  await using job = await updateJob({ 'package.json': manifest }, { npm_config_registry: registry.url });

  const { results } = await job.run({ security: [vulnerable] });

  expect(results).toMatchObject([{ dependencies: [{ from: '1.0.0', to: '1.2.0', type: 'development' }] }]);
  expect(await job.patched(results[0]?.patch ?? '', 'package.json')).toBe(manifest.replace('1.0.0', '1.2.0'));
});

const rules: VersionRules = { ignore: [], groups: [], strategy: 'increase', limit: 5 };

test.skipIf(!needed)('a version update takes the latest release, and leaves the present form of a requirement', async () => {
  await using registry = await npmRegistry([...lefts, { name: 'left', version: '3.0.0' }], { latest: { left: '2.0.0' } });
  await using job = await project(registry, { dependencies: { left: '1.x' } }, [{ name: 'left', version: '1.0.0' }]);

  const { results } = await job.run({ kind: 'version', version: rules });

  expect(results).toMatchObject([{ dependencies: [{ name: 'left', from: '1.0.0', to: '2.0.0', type: 'production' }] }]);
  expect(await job.patched(results[0]?.patch ?? '', 'package.json')).toContain('"left": "2.x"');
});

test.skipIf(!needed).each([
  ['increase', '^1.0.0', '^2.0.0'],
  ['widen', '^1.0.0', '^1.0.0 || ^2.0.0'],
  ['increase-if-necessary', '>=1.0.0', '>=1.0.0'],
  ['increase-if-necessary', '^1.0.0', '^2.0.0'],
  ['lockfile-only', '^1.0.0', '^1.0.0'],
] as const)('by the strategy %s, %s becomes %s', async (strategy, before, after) => {
  await using registry = await npmRegistry(lefts);
  await using job = await project(registry, { dependencies: { left: before } }, [{ name: 'left', version: '1.0.0' }]);

  const { results, skipped } = await job.run({ kind: 'version', version: { ...rules, strategy } });

  expect(skipped).toEqual([]);
  expect(results).toMatchObject([{ dependencies: [{ to: strategy === 'lockfile-only' ? '1.3.0' : '2.0.0' }] }]);
  expect(await job.patched(results[0]?.patch ?? '', 'package.json')).toContain(`"left": "${after}"`);
});

const others = [
  { name: '@acme/one', version: '1.0.0' },
  { name: '@acme/one', version: '1.1.0' },
  { name: '@acme/two', version: '1.0.0' },
  { name: '@acme/two', version: '1.0.1' },
  { name: '@acme/two', version: '2.0.0' },
];
const all = { '@acme/one': '^1.0.0', '@acme/two': '^1.0.0', left: '^1.0.0' };
const allLocked = Object.keys(all).map((name) => ({ name, version: '1.0.0' }));
const acme = { name: 'acme', patterns: ['@acme/*'], exclude_patterns: [], update_types: ['minor' as const, 'patch' as const] };

test.skipIf(!needed)('a group is one update; what it does not take has one of its own, up to the limit', async () => {
  await using registry = await npmRegistry([...lefts, ...others]);
  await using job = await project(registry, { dependencies: all }, allLocked);

  const { results, skipped } = await job.run({ kind: 'version', version: { ...rules, groups: [acme], limit: 2 } });

  expect(results.map(({ group, dependencies }) => [group, ...dependencies.map(({ name, to }) => `${name} ${to}`)])).toEqual([
    ['acme', '@acme/one 1.1.0', '@acme/two 1.0.1'],
    [undefined, '@acme/two 2.0.0'],
  ]);
  expect(skipped).toEqual([{ reason: expect.stringContaining('the limit of open pull requests is reached') }]);
  // Each patch is a change of the commit, not of the patch before it.
  expect(await job.patched(results[1]?.patch ?? '', 'package.json')).toContain('"@acme/one": "^1.0.0"');
});

test.skipIf(!needed)('what is ignored, not allowed, too new or open already is left out', async () => {
  const published = { 'left@2.0.0': new Date(Date.now() - 2 * 86_400_000).toISOString() };
  await using registry = await npmRegistry([...lefts, ...others], { published });
  await using job = await project(registry, { dependencies: all }, allLocked);
  const names = async (version: object, open: { dependencies: { name: string; to: string }[] }[] = []) =>
    (await job.run({ kind: 'version', version: { ...rules, ...version }, open })).results.flatMap(({ dependencies }) =>
      dependencies.map(({ name, to }) => `${name} ${to}`),
    );
  const cooldown = { major: 3, minor: 0, patch: 0, include: [], exclude: [] };

  expect(await names({ ignore: [{ name: '@acme/*' }, { name: 'left', versions: ['>= 2, < 3'] }] })).toEqual(['left 1.3.0']);
  expect(await names({ ignore: [{ name: '*', update_types: ['major'] }] })).toEqual([
    '@acme/one 1.1.0',
    '@acme/two 1.0.1',
    'left 1.3.0',
  ]);
  expect(await names({ allow: [{ name: 'left' }], cooldown })).toEqual(['left 1.3.0']);
  expect(await names({ allow: [{ name: 'left' }], cooldown: { ...cooldown, exclude: ['le*'] } })).toEqual(['left 2.0.0']);
  expect(await names({ allow: [{ type: 'development' }] })).toEqual([]);
  const open = [{ dependencies: [{ name: '@acme/one', to: '1.1.0' }] }];
  expect(await names({ allow: [{ name: '@acme/*' }] }, open)).toEqual(['@acme/two 2.0.0']);
});

test.skipIf(!needed)('what is transitive is updated where that is allowed, as far as its dependents allow', async () => {
  const right = { name: 'right', version: '1.0.0', dependencies: { left: '~1.2.0 || ~1.1.0' } };
  await using registry = await npmRegistry([...lefts, right]);
  await using job = await project(registry, { dependencies: { right: '1.0.0' } }, [right, { name: 'left', version: '1.1.0' }]);

  const { results } = await job.run({ kind: 'version', version: { ...rules, allow: [{ type: 'all' }] } });

  expect(results).toMatchObject([{ dependencies: [{ name: 'left', from: '1.1.0', to: '1.2.0', type: 'indirect' }] }]);
});

test.skipIf(!needed)('a manifest in another encoding is left alone', async () => {
  await using job = await updateJob({ 'package.json': Buffer.from('{"name": "\xe9"}', 'latin1') });

  expect(await job.run({ security: [vulnerable] })).toMatchObject({
    results: [],
    skipped: [{ reason: 'A manifest or lock file is not in UTF-8' }],
  });
});

test.skipIf(!needed)('a configuration in a folder above the job’s own is not read', async () => {
  await using registry = await npmRegistry(lefts);
  await using job = await project(registry, { dependencies: { left: '^1.0.0' } }, [{ name: 'left', version: '1.0.0' }]);
  // The script's folders are below this one.
  await writeFile(join(job.folder, 'package.json'), '{}');
  await writeFile(join(job.folder, '.npmrc'), 'registry=http://127.0.0.1:1/\n');

  const { results, skipped } = await job.run({ security: [vulnerable] }, { TMPDIR: job.folder });

  expect(skipped).toEqual([]);
  expect(results).toMatchObject([{ dependencies: [{ to: '1.2.0' }] }]);
});
