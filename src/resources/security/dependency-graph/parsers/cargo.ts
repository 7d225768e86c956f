import { valid } from 'semver';
import { parse as parseToml } from 'smol-toml';
import { type Dependency, decode, fieldOf, fieldsOf, itemsOf, type Parser, textOf } from './dependency.ts';

/** `Cargo.lock`. Packages without a source belong to the repository itself; their dependencies are direct. */
export const parseCargoLock: Parser = function* (content) {
  const packages = itemsOf(fieldOf(parseToml(decode(content)), 'package'));
  const own = packages.filter((entry) => fieldOf(entry, 'source') === undefined);
  const wanted = new Set(
    own.flatMap((entry) => itemsOf(fieldOf(entry, 'dependencies')).map((one) => textOf(one)?.split(' ')[0])),
  );
  for (const entry of packages) {
    const name = textOf(fieldOf(entry, 'name'));
    if (name === null || fieldOf(entry, 'source') === undefined) continue;
    yield {
      ecosystem: 'rust',
      name,
      version: valid(textOf(fieldOf(entry, 'version'))),
      requirement: null,
      scope: 'runtime',
      relationship: wanted.has(name) ? 'direct' : 'transitive',
    };
  }
};

const tables = [
  ['dependencies', 'runtime'],
  ['build-dependencies', 'runtime'],
  ['dev-dependencies', 'development'],
] as const;

/** `Cargo.toml`: the requirements; a version if only one is allowed. */
export const parseCargoToml: Parser = function* (content): Generator<Dependency> {
  const root = parseToml(decode(content));
  for (const section of [root, fieldOf(root, 'workspace'), ...Object.values(fieldsOf(fieldOf(root, 'target')))])
    for (const [table, scope] of tables)
      for (const [alias, value] of Object.entries(fieldsOf(fieldOf(section, table)))) {
        const requirement = textOf(value) ?? textOf(fieldOf(value, 'version'));
        const isElsewhere = ['path', 'git', 'workspace'].some((field) => fieldOf(value, field) !== undefined);
        if (requirement === null && isElsewhere) continue;
        yield {
          ecosystem: 'rust',
          name: textOf(fieldOf(value, 'package')) ?? alias,
          version: requirement?.startsWith('=') ? valid(requirement.slice(1).trim()) : null,
          requirement,
          scope,
          relationship: 'direct',
        };
      }
};
