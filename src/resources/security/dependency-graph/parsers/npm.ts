import { valid } from 'semver';
import { type Dependency, fieldOf, fieldsOf, type Parser, parseObject, shortVersion, textOf } from './dependency.ts';

const runtimeFields = ['dependencies', 'optionalDependencies'] as const;

/** `package.json`: the requirements; a version if only one is allowed. */
export const parsePackageJson: Parser = function* (content) {
  const root = yield* parseObject(content);
  for (const field of [...runtimeFields, 'devDependencies'] as const)
    for (const [name, value] of Object.entries(fieldsOf(fieldOf(root, field))))
      yield {
        ecosystem: 'npm',
        name,
        version: valid(shortVersion(textOf(value))?.replace(/^=/, '') ?? null),
        requirement: textOf(value),
        scope: field === 'devDependencies' ? 'development' : 'runtime',
        relationship: 'direct',
      };
};

/** `package-lock.json` and `npm-shrinkwrap.json` of the versions 1 to 3. */
export const parsePackageLock: Parser = function* (content) {
  const root = yield* parseObject(content);
  if (fieldOf(root, 'packages') !== undefined) yield* packagesOf(fieldsOf(fieldOf(root, 'packages')));
  else if (fieldOf(root, 'lockfileVersion') === 1 || fieldOf(root, 'dependencies') !== undefined)
    yield* nestedDependencies(fieldOf(root, 'dependencies'));
  else if (typeof fieldOf(root, 'lockfileVersion') !== 'number') throw new Error('no lockfile');
};

const folder = 'node_modules/';

function* packagesOf(packages: Readonly<Record<string, unknown>>): Generator<Dependency | undefined> {
  // The root and its workspace packages aren't installed from elsewhere.
  const wanted = new Set<string>();
  for (const [path, entry] of Object.entries(packages)) {
    yield undefined;
    if (path.includes(folder)) continue;
    for (const field of [...runtimeFields, 'devDependencies'])
      for (const name of Object.keys(fieldsOf(fieldOf(entry, field)))) wanted.add(name);
  }
  for (const [path, entry] of Object.entries(packages)) {
    const start = path.lastIndexOf(folder);
    yield undefined;
    if (start < 0 || fieldOf(entry, 'link') === true) continue;
    const installed = path.slice(start + folder.length);
    const isDirect = path.indexOf(folder) === start && wanted.has(installed);
    yield locked(textOf(fieldOf(entry, 'name')) ?? installed, entry, isDirect ? 'direct' : 'transitive');
  }
}

/** The first version of lockfiles nests dependencies to any depth, and doesn't say which of them are direct. */
function* nestedDependencies(top: unknown): Generator<Dependency | undefined> {
  const pending = [top];
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    for (const [name, entry] of Object.entries(fieldsOf(next))) {
      yield undefined;
      if (fieldOf(entry, 'bundled') !== true || textOf(fieldOf(entry, 'version'))) yield locked(name, entry, 'unknown');
      const below = fieldOf(entry, 'dependencies');
      if (below !== undefined) pending.push(below);
    }
}

function locked(name: string, entry: unknown, relationship: Dependency['relationship']): Dependency {
  const written = textOf(fieldOf(entry, 'version'));
  const isForDevelopment = fieldOf(entry, 'dev') === true || fieldOf(entry, 'devOptional') === true;
  const version = valid(shortVersion(written));
  return {
    ecosystem: 'npm',
    name,
    version,
    requirement: version === null ? written : null,
    scope: isForDevelopment ? 'development' : 'runtime',
    relationship,
    license: textOf(fieldOf(entry, 'license')),
  };
}
