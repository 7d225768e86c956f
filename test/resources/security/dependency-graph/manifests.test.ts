import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isManifest, readManifest, withoutSuperseded } from '#resources/security/dependency-graph/manifests.ts';
import { type NamedPackage, packageUrl, readPackageUrl } from '#resources/security/dependency-graph/package-urls.ts';
import { longestTurn } from '#test/support/time.ts';

const read = (path: string, text: string) => readManifest({ path, content: Buffer.from(text) });
const shown = async (path: string, text: string) =>
  (await read(path, text)).dependencies.map(({ name, version, requirement, scope, relationship }) =>
    [name, version, requirement, scope, relationship].map((one) => one ?? '-').join(' '),
  );

test('lockfiles of npm, in each of their versions', async () => {
  const packages = {
    '': { dependencies: { a: '^1.0.0' }, devDependencies: { b: '*' }, workspaces: ['own'] },
    own: { name: 'own', dependencies: { c: '1' } },
    'node_modules/own': { resolved: 'own', link: true },
    'node_modules/a': { version: '1.2.0' },
    'node_modules/a/node_modules/@x/deep': { version: '3.0.0' },
    'node_modules/b': { version: '2.0.0', dev: true },
    'node_modules/c': { name: 'real-c', version: '1.0.1' },
    'node_modules/e': { version: 'git+ssh://git@host/e.git#abc' },
  };
  for (const lockfileVersion of [2, 3])
    expect(await shown('package-lock.json', JSON.stringify({ lockfileVersion, packages, dependencies: {} }))).toEqual([
      'a 1.2.0 - runtime direct',
      '@x/deep 3.0.0 - runtime transitive',
      'b 2.0.0 - development direct',
      'real-c 1.0.1 - runtime direct',
      'e - git+ssh://git@host/e.git#abc runtime transitive',
    ]);
  const dependencies = {
    a: { version: '1.2.0', dependencies: { deep: { version: '3.0.0' } } },
    b: { version: '2.0.0', dev: true },
  };
  expect(await shown('npm-shrinkwrap.json', JSON.stringify({ lockfileVersion: 1, dependencies }))).toEqual([
    'a 1.2.0 - runtime unknown',
    'b 2.0.0 - development unknown',
    'deep 3.0.0 - runtime unknown',
  ]);
  expect(await shown('package.json', '{"dependencies":{"a":"^1.0.0","b":"=2.0.0"},"devDependencies":{"c":"3.0.0"}}')).toEqual([
    'a - ^1.0.0 runtime direct',
    'b 2.0.0 =2.0.0 runtime direct',
    'c 3.0.0 3.0.0 development direct',
  ]);
});

test('files of Python', async () => {
  const text =
    'Django==4.2.1 ; python_version > "3"  # pinned\nzope.Interface[x,y]>=5,<6\n-r other.txt\nflask == 2.0 \\\n' +
    '  --hash=sha256:abc\n<html>\nreading a page\n./here\n';
  expect(await shown('requirements.txt', text)).toEqual([
    'django 4.2.1 ==4.2.1 runtime direct',
    'zope-interface - >=5,<6 runtime direct',
    'flask 2.0 == 2.0 runtime direct',
  ]);
  expect(await shown('requirements-dev.txt', 'pytest==7.0')).toEqual(['pytest 7.0 ==7.0 development direct']);
  const poetry = '[[package]]\nname = "A_b"\nversion = "1.0"\n[[package]]\nname = "t"\nversion = "2"\ngroups = ["dev"]\n';
  expect(await shown('poetry.lock', poetry)).toEqual(['a-b 1.0 - runtime unknown', 't 2 - development unknown']);
  const pipfile = { default: { x: { version: '==1.0' } }, develop: { y: { git: 'z' } } };
  expect(await shown('Pipfile.lock', JSON.stringify(pipfile))).toEqual([
    'x 1.0 ==1.0 runtime unknown',
    'y - - development unknown',
  ]);
});

test('files of Go, Cargo and Maven', async () => {
  const go =
    'module example.test/m\ngo 1.22\nrequire (\n\ta.test/x v1.2.3\n\tb.test/y v0.1.0 // indirect\n\tc.test/l v1.0.0\n' +
    ')\nrequire d.test/z v2.0.0+incompatible\nreplace b.test/y => e.test/y v0.2.0\nreplace c.test/l v1.0.0 => ../l\n';
  expect(await shown('go.mod', go)).toEqual([
    'a.test/x v1.2.3 - runtime direct',
    'e.test/y v0.2.0 - runtime transitive',
    'c.test/l - ../l runtime direct',
    'd.test/z v2.0.0+incompatible - runtime direct',
  ]);
  const lock =
    '[[package]]\nname="own"\nversion="0.1.0"\ndependencies=["a 1.0.0"]\n[[package]]\nname="a"\nversion="1.0.0"\n' +
    'source="registry+x"\n[[package]]\nname="b"\nversion="2.0.0"\nsource="registry+x"\n';
  expect(await shown('Cargo.lock', lock)).toEqual(['a 1.0.0 - runtime direct', 'b 2.0.0 - runtime transitive']);
  const cargo =
    '[dependencies]\na="1.0"\nb={version="=2.0.0",package="real-b"}\nc={path="../c"}\n[dev-dependencies]\nd="*"\n' +
    `[target.'cfg(unix)'.dependencies]\ne="3"\n`;
  expect(await shown('Cargo.toml', cargo)).toEqual([
    'a - 1.0 runtime direct',
    'real-b 2.0.0 =2.0.0 runtime direct',
    'd - * development direct',
    'e - 3 runtime direct',
  ]);
  const pom = `<project><properties><v>1.5</v></properties><dependencyManagement><dependencies>
    <dependency><groupId>g</groupId><artifactId>managed</artifactId><version>9</version></dependency>
    </dependencies></dependencyManagement>
    <dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>\${v}</version></dependency>
    <dependency><groupId>g</groupId><artifactId>managed</artifactId></dependency>
    <dependency><groupId>g</groupId><artifactId>t</artifactId><version>[1,2)</version><scope>test</scope></dependency>
    <dependency><groupId>g</groupId><artifactId>u</artifactId><version>\${unknown}</version></dependency>
    </dependencies></project>`;
  expect(await shown('pom.xml', pom)).toEqual([
    'g:a 1.5 1.5 runtime direct',
    'g:managed 9 9 runtime direct',
    'g:t - [1,2) development direct',
    `g:u - \${unknown} runtime direct`,
  ]);
});

const paths = [
  'package.json',
  'package-lock.json',
  'requirements.txt',
  'poetry.lock',
  'Pipfile.lock',
  'go.mod',
  'Cargo.lock',
  'Cargo.toml',
  'pom.xml',
];

test('whatever a file holds is read or is a problem, and what is read can be stored', async () => {
  const part = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom(
      '[[package]]\n',
      'name="a"\n',
      '<project>',
      '<dependency>',
      '</',
      'require (',
      '=>',
      '"dependencies":{',
      '__proto__',
      '\0',
      `\${a}`,
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.array(part, { maxLength: 12 }), async (path, parts) => {
      const { dependencies, problem } = await read(path, parts.join(''));
      expect(problem === null || dependencies.length === 0).toBe(true);
      for (const { name, version, requirement } of dependencies)
        for (const text of [name, version, requirement]) expect(text?.includes('\0') ?? false).toBe(false);
    }),
    { numRuns: 400 },
  );
});

test('hostile files end in time', async () => {
  const deep = '['.repeat(200_000);
  const wide = JSON.stringify({
    dependencies: Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`p${at}`, '1.0.0'])),
  });
  const entities = `<!DOCTYPE project [<!ENTITY a "x"><!ENTITY b "${'&a;'.repeat(1000)}">]>
    <project><dependencies><dependency><groupId>&b;</groupId></dependency></dependencies></project>`;
  let nested: object = {};
  for (let at = 0; at < 1_000; at++) nested = { dependencies: { a: { version: `1.0.${at}`, ...nested } } };
  const properties = `<project><properties><a>\${a}\${a}\${a}\${a}\${a}\${a}\${a}\${a}</a></properties>
    <dependencies><dependency><version>\${a}</version></dependency></dependencies></project>`;
  for (const path of paths) expect((await read(path, deep)).dependencies, path).toEqual([]);
  expect(await read('package.json', wide)).toMatchObject({
    problem: 'names more than 20000 dependencies',
    dependencies: { length: 20_000 },
  });
  expect((await read('pom.xml', entities)).dependencies.every(({ name }) => name.length < 100)).toBe(true);
  expect((await read('package-lock.json', JSON.stringify({ lockfileVersion: 1, ...nested }))).dependencies).toHaveLength(1_000);
  expect((await read('pom.xml', properties)).dependencies.length).toBeLessThan(2);
  expect((await read('requirements.txt', `${'a['.repeat(50_000)}\n${'x'.repeat(100_000)}==1`)).dependencies).toEqual([]);
  const { dependencies: odd } = await read('package.json', '{"dependencies":{"__proto__":"1.0.0","constructor":"1.0.0"}}');
  expect(odd).toMatchObject([{ name: 'constructor' }]);
  expect((await readManifest({ path: 'go.mod', content: Buffer.from([0xff, 0xfe]) })).problem).toBe('can’t be read');
});

test('properties whose values would be too long are not put in', async () => {
  const withProperties = (properties: string, groups: readonly string[]): string => {
    const dependencies = groups.map((group) => `<dependency><groupId>${group}</groupId><artifactId>x</artifactId></dependency>`);
    const list = `<dependencies>${dependencies.join('')}</dependencies>`;
    return `<project><properties>${properties}</properties><dependencyManagement>${list}</dependencyManagement>${list}</project>`;
  };
  const [a, b, c] = [`\${a}`, `\${b}`, `\${c}`];
  const long = withProperties(`<a>${'a'.repeat(1_001)}</a><b>b</b>`, [a, b, c]);
  expect(await shown('pom.xml', long)).toEqual([a, 'b', c].map((name) => `${name}:x - - runtime direct`));
  const doubled = withProperties(`<a>${b}${b}</a><b>${c}${c}</b><c>ccc</c>`, [a, a.repeat(90)]);
  expect(await shown('pom.xml', doubled)).toEqual(['c'.repeat(12), a.repeat(90)].map((name) => `${name}:x - - runtime direct`));
  // Each name would have 480 MB.
  const enormous = withProperties(`<a>${'a'.repeat(2_000_000)}</a>`, Array<string>(100).fill(a.repeat(240)));
  expect(await read('pom.xml', enormous)).toEqual({ dependencies: [], problem: null });
});

const mebi = 1024 * 1024;
const filled = (unit: string, around: (text: string) => string = (text) => text) =>
  around(unit.repeat((5 * mebi - 100) / unit.length));

test.each([
  ['package.json', filled('{},', (text) => `{"x":[${text}{}]}`), 'can’t be read'],
  ['package.json', filled('1,', (text) => `{"x":[${text}1]}`), 'can’t be read'],
  [
    'package-lock.json',
    JSON.stringify({
      packages: Object.fromEntries(Array.from({ length: 99_000 }, (_, at) => [`a${at}/node_modules/k`, { version: '1.0.0' }])),
    }),
    null,
  ],
  ['requirements.txt', filled('a==1\n'), null],
  ['requirements.txt', filled('\\\n'), null],
  ['requirements.txt', filled('1.', (text) => `a==${text}1`), null],
  ['Pipfile.lock', filled('1.', (text) => JSON.stringify({ default: { a: { version: `==${text}1` } } })), null],
  ['go.mod', filled('require a b\n', (text) => `module a\n${text}`), null],
  ['go.mod', filled('a ', (text) => `module a\nreplace ${text}`), null],
  // A worker thread reads it, so turns needn't be as short as on the event loop.
])('a %s of 5 MiB is read in turns', async (path, text, problem) => {
  const { longest, result } = await longestTurn(() => read(path, text));
  expect(result.problem).toBe(problem);
  expect(longest).toBeLessThan(600);
});

test('which files are read', () => {
  for (const path of ['go.mod', 'a/b/pom.xml', 'requirements-dev.txt']) expect(isManifest(path), path).toBe(true);
  for (const path of ['go.sum', 'node_modules/a/package.json', 'a/vendor/b/go.mod', 'my-package.json'])
    expect(isManifest(path), path).toBe(false);
  const files = ['package.json', 'package-lock.json', 'a/package.json', 'Cargo.toml'].map((path) => ({ path }));
  expect(withoutSuperseded(files).map(({ path }) => path)).toEqual(['package-lock.json', 'a/package.json', 'Cargo.toml']);
});

test('package URLs', () => {
  const urlOf = (ecosystem: string, name: string, version: string | null) =>
    packageUrl({ ecosystem, name, version, package_url: null });
  expect(urlOf('npm', '@x/y', '1.0.0')).toBe('pkg:npm/%40x/y@1.0.0');
  expect(urlOf('maven', 'org.a:b', '1')).toBe('pkg:maven/org.a/b@1');
  expect(urlOf('pip', 'django', null)).toBe('pkg:pypi/django');
  expect(urlOf('maven', 'none', '1')).toBeUndefined();
  for (const url of [
    'pkg:npm/%40x/y@1.0.0',
    'pkg:maven/org.a/b@1',
    'pkg:golang/example.test/a/b@v1.0.0',
    'pkg:deb/debian/curl@7?arch=i386',
  ])
    expect(packageUrl(readPackageUrl(url) as NamedPackage)).toBe(url);
  expect(readPackageUrl('pkg:/npm/left@1.0.0#lib')).toEqual({
    ecosystem: 'npm',
    name: 'left',
    version: '1.0.0',
    package_url: null,
  });
  expect(readPackageUrl('pkg:pypi/Zope.Interface')).toMatchObject({ name: 'zope-interface', version: null });
  expect(readPackageUrl('pkg:gem/rails@7')).toMatchObject({ ecosystem: 'rubygems', package_url: 'pkg:gem/rails@7' });
  fc.assert(fc.property(fc.string(), (text) => void readPackageUrl(`pkg:${text}`)));
  for (const text of ['', 'npm/left', 'pkg:left', 'pkg:npm/%zz']) expect(readPackageUrl(text), text).toBeUndefined();
});
