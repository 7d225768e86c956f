// The parser of configuration files. It runs in a worker thread, and returns plain data.

import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { fixedValue } from '#lib/limits.ts';
import { sizeProblem } from '#workflow-files/file-size.ts';
import { botLimits } from '../limits.ts';
import type { BotConfig, ConfigProblem, ParsedConfig } from './config.ts';
import { readEntry } from './entry.ts';
import { booleanOf, fieldsOf, itemsOf, type Part, type PartPath, wrong } from './part.ts';
import { readRegistries } from './registries.ts';

const mostProblems = 100;
const mostEntries = 200;
const mostDirectories = fixedValue(botLimits.configDirectories);

/** The contents of a configuration file, or its problems. */
export function parse({ content }: { readonly content: string }): ParsedConfig {
  try {
    return parseFile(content);
  } catch (error) {
    // Parsers are recursive for each level of a file.
    if (error instanceof RangeError) return problem('The parts of the file are nested too deeply');
    // The YAML library's error for an alias without its anchor.
    if (error instanceof ReferenceError) return problem('The file repeats a part (*name) that it doesn’t name before');
    throw error;
  }
}

const problem = (message: string): ParsedConfig => ({ problems: [{ message, line: 1 }] });

function parseFile(content: string): ParsedConfig {
  const lines = new LineCounter();
  const document = parseDocument(content, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  if (document.errors.length > 0)
    return { problems: document.errors.slice(0, mostProblems).map(({ message, pos }) => ({ message, line: lineAt(pos[0]) })) };
  const tooLarge = sizeProblem(document);
  if (tooLarge !== undefined) return problem(tooLarge);
  const problems: ConfigProblem[] = [];
  const report = (path: PartPath, message: string): void => {
    const line = lineAt(offsetOf(document, path));
    if (problems.length < mostProblems) problems.push({ message: `${nameOf(path)} ${message}`, line });
  };
  // Repetitions by aliases were counted above.
  const config = readFile({ value: document.toJS({ maxAliasCount: -1 }), path: [], report }, () => problems.length);
  return config ? { config, problems } : { problems };
}

/** `updates[0].schedule` */
const nameOf = (path: PartPath): string =>
  path.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : name === '' ? part : `${name}.${part}`),
    '',
  ) || 'The file';

/** Where a part is in the file, or the one that it is in, if it was repeated by an alias. A field begins with its name. */
function offsetOf(document: Document, path: PartPath): number {
  for (let length = path.length; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true);
    const last = path[length - 1];
    const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === last) : undefined;
    const node = pair ? pair.key : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function readFile(file: Part, countProblems: () => number): BotConfig | undefined {
  const fields = fieldsOf(file, ['version', 'updates', 'registries', 'enable-beta-ecosystems']);
  booleanOf(fields.get('enable-beta-ecosystems'));
  if (fields.get('version')?.value !== 2) wrong(fields.get('version') ?? file, 'has to have the version 2');
  if (!fields.has('updates')) wrong(file, 'has no updates');
  const { registries, names } = readRegistries(fields.get('registries'));
  const entries = itemsOf(fields.get('updates'), mostEntries);
  // What the whole file says has to be right, since entries depend on it.
  if (countProblems() > 0) return undefined;
  const seen = new Set<string>();
  const updates = entries.flatMap((part) => {
    const before = countProblems();
    const entry = readEntry(part, names);
    if (!entry || countProblems() > before) return [];
    const keys = entry.directories.map((directory) => JSON.stringify([entry.ecosystem, directory, entry.targetBranch ?? null]));
    if (keys.some((key) => seen.has(key))) {
      wrong(part, 'is about the same ecosystem, directory and branch as an entry before it');
      return [];
    }
    if (seen.size + keys.length > mostDirectories) {
      wrong(part, `is left out, since the entries name more than ${mostDirectories} directories together`);
      return [];
    }
    for (const key of keys) seen.add(key);
    return [entry];
  });
  return { updates, registries };
}
