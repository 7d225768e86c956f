import { XMLParser } from 'fast-xml-parser';
import { type Dependency, decode, fieldOf, fieldsOf, itemsOf, type Parser, textOf } from './dependency.ts';

// Entities aren't read: they could make a small file large, or refer to other files.
const parser = new XMLParser({
  ignoreAttributes: true,
  processEntities: false,
  parseTagValue: false,
  isArray: (name) => name === 'dependency',
});

/** The maximum number of steps for expanding properties, and the maximum length of a text with properties and of the result. */
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
    for (let step = 0; step < maxSteps && value?.includes('${'); step++) {
      const next = expanded(value, properties);
      // A text that becomes too long stays as it was written, as one with unknown properties does.
      if (next === undefined) return written;
      value = next;
    }
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

/**
 * A text with the values of its properties; undefined if it is too long. The length is known before the text is built: a single
 * allocation far above the heap of a worker thread ends the process.
 */
function expanded(text: string, properties: ReadonlyMap<string, string>): string | undefined {
  if (text.length > maxLength) return undefined;
  const parts = text.split(/(\$\{[^{}$]+\})/).map((part) => (part.startsWith('${') && properties.get(part.slice(2, -1))) || part);
  return parts.reduce((sum, { length }) => sum + length, 0) > maxLength ? undefined : parts.join('');
}

/** The version of `1.2` or `[1.2]`, which allow no other; null for ranges, and for unknown properties. */
function exact(requirement: string | null): string | null {
  const version = /^\[?([^[\](),\s${}]+)\]?$/.exec(requirement ?? '')?.[1];
  return version ?? null;
}
