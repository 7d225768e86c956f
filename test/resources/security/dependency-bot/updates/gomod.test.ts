import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { zipOf } from '#lib/zip.ts';
import type { UpdateRequest, VersionRules } from '#resources/security/dependency-bot/updates/contract.ts';
import { hasProgram, updateJob } from './job.ts';

const needed = await hasProgram('go', ['version']);
/** The cache of compiled packages, since compiling the script anew takes a minute. */
const cache = needed ? execFileSync('go', ['env', 'GOCACHE'], { encoding: 'utf8' }).trim() : '';

type Module = {
  readonly path: string;
  readonly version: string;
  readonly requires?: Readonly<Record<string, string>>;
  readonly retracts?: string;
  readonly time?: string;
};

/** A proxy of modules, as files. Each module has one package, which imports those of the modules that it requires. */
async function proxy(modules: readonly Module[]) {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-goproxy-'));
  for (const { path, version, requires = {}, retracts, time = '2020-01-01T00:00:00Z' } of modules) {
    const at = join(folder, path, '@v');
    await mkdir(at, { recursive: true });
    const needs = Object.entries(requires).map(([name, one]) => `require ${name} ${one}\n`);
    const mod = `module ${path}\n\ngo 1.18\n\n${needs.join('')}${retracts ? `retract ${retracts}\n` : ''}`;
    const imports = Object.keys(requires).map((name) => `import _ "${name}"\n`);
    const own = modules.filter((one) => one.path === path).map((one) => one.version);
    await writeFile(join(at, 'list'), `${own.join('\n')}\n`);
    await writeFile(join(at, `${version}.info`), JSON.stringify({ Version: version, Time: time }));
    await writeFile(join(at, `${version}.mod`), mod);
    const entry = (name: string, text: string) => ({
      name: `${path}@${version}/${name}`,
      modified: new Date(0),
      async *open() {
        yield text;
      },
    });
    const zip = zipOf([entry('go.mod', mod), entry('a.go', `package a\n${imports.join('')}`)]);
    await writeFile(join(at, `${version}.zip`), await buffer(zip));
  }
  return {
    env: { GOPROXY: `file://${folder}`, GOSUMDB: 'off', GOCACHE: cache },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const left = 'example.com/left';
const right = 'example.com/right';
const lefts = ['v1.0.0', 'v1.1.0', 'v1.2.0', 'v1.3.0-rc.1', 'v1.3.0'].map((version) => ({ path: left, version }));
const vulnerable = { name: left, patched: '1.2.0', vulnerable: ['< 1.2.0'] };

const goMod = (requires: readonly string[], more = '') =>
  `module example.com/app\n\ngo 1.18\n\nrequire (\n${requires.map((line) => `\t${line}\n`).join('')})\n${more}`;
const mainGo = (...imports: readonly string[]) =>
  `package main\n\n${imports.map((name) => `import _ "${name}"\n`).join('')}\nfunc main() {}\n`;
const gomod: Partial<UpdateRequest> = { ecosystem: 'gomod', security: [vulnerable] };

test.skipIf(!needed)('a module moves to the smallest version that mends it', async () => {
  await using modules = await proxy(lefts);
  const files = { 'go.mod': goMod([`${left} v1.0.0`]), 'main.go': mainGo(left), 'other/go.mod': goMod([`${left} v1.0.0`]) };
  await using job = await updateJob(files, modules.env);

  const { results, skipped } = await job.run(gomod);

  expect(skipped).toEqual([]);
  expect(results).toMatchObject([{ dependencies: [{ name: left, from: 'v1.0.0', to: 'v1.2.0', type: 'production' }] }]);
  const patch = results[0]?.patch ?? '';
  expect((await job.changed(patch)).map((line) => line.split('\t')[1])).toEqual(['go.mod', 'go.sum']);
  expect(await job.patched(patch, 'go.mod')).toContain(`${left} v1.2.0`);
  expect(await job.patched(patch, 'go.sum')).toContain(`${left} v1.2.0 h1:`);
});

test.skipIf(!needed)('a module that another one requires moves too', async () => {
  await using modules = await proxy([...lefts, { path: right, version: 'v1.0.0', requires: { [left]: 'v1.1.0' } }]);
  const files = { 'svc/go.mod': goMod([`${right} v1.0.0`, `${left} v1.1.0 // indirect`]), 'svc/main.go': mainGo(right) };
  await using job = await updateJob(files, modules.env);

  const { results, skipped } = await job.run({ ...gomod, directory: '/svc' });

  expect(skipped).toEqual([]);
  expect(results).toMatchObject([{ dependencies: [{ name: left, from: 'v1.1.0', to: 'v1.2.0', type: 'indirect' }] }]);
  expect((await job.changed(results[0]?.patch ?? '')).map((line) => line.split('\t')[1])).toEqual(['svc/go.mod', 'svc/go.sum']);
});

test.skipIf(!needed)('versions that are retracted or vulnerable are left out', async () => {
  await using modules = await proxy([...lefts, { path: left, version: 'v1.4.0', retracts: 'v1.2.0' }]);
  await using job = await updateJob({ 'go.mod': goMod([`${left} v1.0.0`]), 'main.go': mainGo(left) }, modules.env);

  const { results } = await job.run(gomod);
  const others = await job.run({
    ecosystem: 'gomod',
    security: [{ ...vulnerable, vulnerable: ['< 1.2.0', '>= 1.3.0, < 1.3.1'] }],
  });

  expect(results).toMatchObject([{ dependencies: [{ to: 'v1.3.0' }] }]);
  expect(others.results).toMatchObject([{ dependencies: [{ to: 'v1.4.0' }] }]);
});

const rules: VersionRules = { ignore: [], groups: [], strategy: 'auto', limit: 5 };

test.skipIf(!needed)('version updates follow groups, ignored versions, pauses and the limit', async () => {
  const recent = new Date(Date.now() - 86_400_000).toISOString();
  await using modules = await proxy([
    ...lefts,
    { path: 'example.com/acme/one', version: 'v1.0.0' },
    { path: 'example.com/acme/one', version: 'v1.0.1', time: recent },
    { path: 'example.com/acme/two', version: 'v0.1.0' },
    { path: 'example.com/acme/two', version: 'v1.0.0' },
  ]);
  const names = [left, 'example.com/acme/one', 'example.com/acme/two'];
  const files = {
    'go.mod': goMod([`${left} v1.0.0`, 'example.com/acme/one v1.0.0', 'example.com/acme/two v0.1.0']),
    'main.go': mainGo(...names),
  };
  await using job = await updateJob(files, modules.env);
  const found = async (version: object, open: { dependencies: { name: string; to: string }[] }[] = []) =>
    (await job.run({ ecosystem: 'gomod', kind: 'version', version: { ...rules, ...version }, open })).results.map(
      ({ group, dependencies }) => [group, ...dependencies.map(({ name, to }) => `${name.slice(12)} ${to}`)].join(': '),
    );
  const acme = { name: 'acme', patterns: ['example.com/acme/*'], exclude_patterns: [], update_types: ['patch' as const] };
  const cooldown = { major: 0, minor: 0, patch: 5, include: [], exclude: [] };

  expect(await found({ groups: [acme] })).toEqual(['acme: acme/one v1.0.1', ': left v1.3.0', ': acme/two v1.0.0']);
  expect(await found({ groups: [acme], limit: 1 })).toEqual(['acme: acme/one v1.0.1']);
  expect(await found({ cooldown, ignore: [{ name: '*', update_types: ['major'] }] })).toEqual([': left v1.3.0']);
  expect(await found({ allow: [{ name: left }], ignore: [{ name: left, versions: ['>= 1.3'] }] })).toEqual([': left v1.2.0']);
  expect(await found({ allow: [{ name: left }] }, [{ dependencies: [{ name: left, to: '1.3.0' }] }])).toEqual([]);
  expect(await found({ allow: [{ type: 'indirect' }] })).toEqual([]);
});

test.skipIf(!needed).each([
  ['a folder outside of the repository', { 'go.mod': goMod([`${left} v1.0.0`], `replace ${left} => ../../left\n`) }],
  ['which is not supported', { 'go.mod': goMod([`${left} v1.0.0`]), 'vendor/modules.txt': '' }],
  ['go.mod is not a file', { 'go.mod': { link: '/etc/hostname' } }],
  ['requires go >= 1.9999', { 'go.mod': goMod([`${left} v1.0.0`]).replace('1.18', '1.9999') }],
  ['has no go.mod', {}],
])('a module that Go can’t update safely is skipped: %s', async (reason, files) => {
  await using modules = await proxy(lefts);
  await using job = await updateJob({ ...files, 'main.go': mainGo(left) }, modules.env);

  const { results, skipped } = await job.run(gomod);

  expect(results).toEqual([]);
  expect(skipped).toEqual([expect.objectContaining({ reason: expect.stringContaining(reason) })]);
});

test.skipIf(!needed)('a module that only version control has is not asked for there', async () => {
  await using modules = await proxy(lefts);
  const files = {
    'go.mod': goMod([`${left} v1.0.0`, 'example.com/gone.git v1.0.0']),
    'main.go': mainGo(left, 'example.com/gone.git'),
  };
  await using job = await updateJob(files, { ...modules.env, GOPROXY: `${modules.env.GOPROXY},direct` });

  const { results, skipped } = await job.run(gomod);

  expect(results).toEqual([]);
  expect(skipped).toEqual([{ name: left, reason: expect.stringMatching(/GOVCS disallows using git/) }]);
});
