import { XMLParser } from 'fast-xml-parser';
import { type Dependency, decode, fieldOf, fieldsOf, itemsOf, type Parser, textOf } from './dependency.ts';

// Entities aren't read: they could make a small file large, or refer to other files.
const parser = new XMLParser({
  ignoreAttributes: true,
  processEntities: false,
  parseTagValue: false,
  isArray: (name) => name === 'dependency',
});

/** The maximum number of steps for expanding properties, and the maximum length of the result. */
const maxSteps = 5;
const maxLength = 1_000;

/** `pom.xml`, with its own properties and managed versions. Those of a parent elsewhere are unknown. */
export const parsePom: Parser = function* (content): Generator<Dependency> {
  const project = fieldOf(parser.parse(decode(content)), 'project');
  if (project === undefined) throw new Error('no project');
  const read = (from: unknown, name: string): string | null => textOf(fieldOf(from, name));
  const parent = fieldOf(project, 'parent');
  const properties = new Map<string, string>();
  for (const [name, value] of Object.entries(fieldsOf(fieldOf(project, 'properties')))) properties.set(name, textOf(value) ?? '');
  for (const name of ['groupId', 'artifactId', 'version']) {
    const value = read(project, name) ?? read(parent, name);
    for (const prefix of ['project', 'pom'] as const) if (value !== null) properties.set(`${prefix}.${name}`, value);
    const ofParent = read(parent, name);
    if (ofParent !== null) properties.set(`project.parent.${name}`, ofParent);
  }
  const resolved = (written: string | null): string | null => {
    let value = written;
    for (let step = 0; step < maxSteps && value?.includes('${') && value.length <= maxLength; step++)
      value = value.replace(/\$\{([^{}$]+)\}/g, (whole, name: string) => properties.get(name) ?? whole);
    return value;
  };
  const nameOf = (one: unknown) => `${resolved(read(one, 'groupId'))}:${resolved(read(one, 'artifactId'))}`;
  const listOf = (element: unknown) => itemsOf(fieldOf(fieldOf(element, 'dependencies'), 'dependency'));
  const managed = new Map(listOf(fieldOf(project, 'dependencyManagement')).map((one) => [nameOf(one), one]));
  for (const one of listOf(project)) {
    const name = nameOf(one);
    const requirement = resolved(read(one, 'version') ?? read(managed.get(name), 'version'));
    yield {
      ecosystem: 'maven',
      name,
      version: exact(requirement),
      requirement,
      scope: (read(one, 'scope') ?? read(managed.get(name), 'scope')) === 'test' ? 'development' : 'runtime',
      relationship: 'direct',
    };
  }
};

/** The version of `1.2` or `[1.2]`, which allow no other; null for ranges, and for unknown properties. */
function exact(requirement: string | null): string | null {
  const version = /^\[?([^[\](),\s${}]+)\]?$/.exec(requirement ?? '')?.[1];
  return version ?? null;
}
