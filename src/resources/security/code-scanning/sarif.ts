// Reads SARIF 2.1.0 (OASIS) part by part. Only the current result and the data of its run are in memory.

import { type Json, jsonReader } from '#lib/json-reader.ts';
import { fixedValue, type LimitValues } from '#lib/limits.ts';
import { Refusal } from '#lib/refusal.ts';
import { codeScanningLimits } from './limits.ts';

/** An object of JSON with unknown content. */
export type Fields = Readonly<Record<string, unknown>>;

/** Gets each result as soon as it is read, and each run after its results. Both contain only the fields in `wanted`. */
export type SarifConsumer = {
  result(result: Fields): void;
  run(run: Fields): void;
};

type SarifReader = {
  /** Reads the next part. @throws Refusal 400 as soon as the text isn't SARIF 2.1.0, or exceeds a limit */
  write(part: Buffer): void;
  /** Ends the text. @throws Refusal 400 if something is missing */
  end(): void;
};

/**
 * A text as the number of characters to keep, a list of such texts, or an object (or a list of objects) by its fields; `*` is any
 * field.
 */
type Wanted = number | readonly [number] | { readonly [name: string]: Wanted };

/** The number of characters to keep of texts. The database usually stores fewer, without escapes and white space. */
const most = { word: 64, name: 1_024, uri: 16_384, text: 16_384, help: 128 * 1_024 } as const;

const message = { text: most.text, markdown: most.text, id: most.name } as const;
const rule = {
  id: most.name,
  name: most.name,
  shortDescription: message,
  fullDescription: message,
  help: { ...message, text: most.help, markdown: most.help },
  helpUri: most.uri,
  messageStrings: { '*': message },
  defaultConfiguration: { level: most.word },
  properties: { tags: [most.name], 'security-severity': most.word, 'problem.severity': most.word, precision: most.word },
} as const;
const component = {
  name: most.name,
  version: most.name,
  semanticVersion: most.name,
  guid: most.name,
  informationUri: most.uri,
  rules: rule,
} as const;

/** The fields that are read from a file; all others are skipped. */
const wanted: Wanted = {
  $schema: most.uri,
  version: most.word,
  runs: {
    tool: { driver: component, extensions: component },
    automationDetails: { id: most.name },
    originalUriBaseIds: { '*': { uri: most.uri, uriBaseId: most.name } },
    results: {
      ruleId: most.name,
      ruleIndex: most.word,
      rule: { id: most.name, index: most.word, toolComponent: { index: most.word } },
      kind: most.word,
      level: most.word,
      message: { ...message, arguments: [most.text] },
      locations: {
        physicalLocation: {
          artifactLocation: { uri: most.uri, uriBaseId: most.name },
          region: { startLine: most.word, endLine: most.word, startColumn: most.word, endColumn: most.word },
        },
      },
      partialFingerprints: { primaryLocationLineHash: most.name },
      suppressions: { kind: most.word, status: most.word },
    },
  },
};

function wantedAt(names: readonly string[]): Wanted | undefined {
  let at: Wanted | undefined = wanted;
  for (const name of names) {
    if (at === undefined || typeof at === 'number' || isTexts(at)) return undefined;
    at = Object.hasOwn(at, name) ? at[name] : at['*'];
  }
  return at;
}

const isTexts = (at: Wanted): at is readonly [number] => Array.isArray(at);

/** The part of a field's value to keep; undefined if it has the wrong type. */
function keptOf(at: Wanted | undefined, value: unknown): unknown {
  if (at === undefined) return undefined;
  if (typeof at !== 'number') return isTexts(at) ? (Array.isArray(value) ? value : undefined) : value;
  return typeof value === 'object' ? undefined : cut(value, at);
}

/** The part of a list item to keep. Its index matters, so an item of the wrong type is replaced. */
function keptItemOf(at: Wanted | undefined, value: unknown): unknown {
  if (at === undefined || typeof at === 'number') return undefined;
  if (isTexts(at)) return typeof value === 'string' ? cut(value, at[0]) : '';
  return isFields(value) ? value : {};
}

/** A copy, since a slice keeps the whole text in memory. */
const cut = (value: unknown, length: number): unknown =>
  typeof value === 'string' && value.length > length ? Buffer.from(value.slice(0, length)).toString() : value;

/** Why a file is refused, with the field that causes it. */
export const notSarif = (message: string): Refusal =>
  new Refusal('bad_request', message, [{ resource: 'Sarif', field: 'sarif', code: 'invalid', message }]);

const limits = codeScanningLimits;

/** Lists whose items are counted, by their paths, and which counts restart with each of their owners. */
const counted = {
  runs: { most: fixedValue(limits.runs), what: 'runs', per: undefined },
  'runs.results': { most: fixedValue(limits.results), what: 'results in a run', per: 'runs' },
  'runs.tool.driver.rules': { most: fixedValue(limits.rules), what: 'rules in a run', per: 'runs' },
  'runs.tool.extensions': { most: fixedValue(limits.extensions), what: 'tool extensions in a run', per: 'runs' },
  'runs.tool.extensions.rules': { most: fixedValue(limits.rules), what: 'rules of extensions in a run', per: 'runs' },
  'runs.tool.driver.rules.properties.tags': {
    most: fixedValue(limits.tags),
    what: 'tags of a rule',
    per: 'runs.tool.driver.rules',
  },
  'runs.tool.extensions.rules.properties.tags': {
    most: fixedValue(limits.tags),
    what: 'tags of a rule',
    per: 'runs.tool.extensions.rules',
  },
  'runs.results.locations': { most: fixedValue(limits.locations), what: 'locations of a result', per: 'runs.results' },
  'runs.results.message.arguments': { most: fixedValue(limits.arguments), what: 'arguments of a message', per: 'runs.results' },
  'runs.results.suppressions': { most: fixedValue(limits.suppressions), what: 'suppressions of a result', per: 'runs.results' },
  'runs.results.codeFlows.threadFlows.locations': {
    most: fixedValue(limits.threadFlowLocations),
    what: 'thread flow locations of a result',
    per: 'runs.results',
  },
} as const;
type Counted = keyof typeof counted;
const kept: { readonly [List in Counted]?: number } = {
  'runs.tool.driver.rules.properties.tags': fixedValue(limits.tagsKept),
  'runs.tool.extensions.rules.properties.tags': fixedValue(limits.tagsKept),
  'runs.results.locations': fixedValue(limits.locationsKept),
};
const lists = Object.keys(counted) as Counted[]; // the keys of the table above
const isCounted = (key: string): key is Counted => Object.hasOwn(counted, key);
/** The last names of counted lists, which few other lists have. */
const lastNames = new Set(lists.map((list) => list.split('.').at(-1)));

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A reader of one file, which passes what it reads to the consumer. */
export function sarifReader(
  consumer: SarifConsumer,
  { values }: Pick<LimitValues<typeof codeScanningLimits>, 'values'>,
): SarifReader {
  const counts = new Map<Counted, number>();

  /** Counts an item, and returns whether it is kept. */
  const count = (list: Counted): boolean => {
    const { most, what } = counted[list];
    const number = (counts.get(list) ?? 0) + 1;
    if (number > most) throw notSarif(`The file holds more than ${most} ${what}`);
    counts.set(list, number);
    return number <= (kept[list] ?? most);
  };
  const endOf = (list: Counted): void => {
    for (const other of lists) if (counted[other].per === list) counts.delete(other);
  };

  /** The estimated size of the current result, and of the rest of its run. */
  const held = { result: 0, run: 0 };
  /** Adds the kept part of a value. */
  const hold = (names: readonly string[], kept: unknown, isItem: boolean): unknown => {
    if (kept === undefined) return undefined;
    const name = isItem ? '' : (names.at(-1) ?? '');
    held[names[1] === 'results' ? 'result' : 'run'] +=
      charactersOfValue + name.length + (typeof kept === 'string' ? kept.length : 0);
    if (held.result > maxHeld || held.run > maxHeld)
      throw notSarif(`A run of the file holds more than ${maxHeld} characters (codeScanning.held)`);
    return kept;
  };

  const takeItem = (names: readonly string[], value: unknown): unknown => {
    const last = names.at(-1) ?? '';
    const list = lastNames.has(last) ? names.join('.') : '';
    const isKept = !isCounted(list) || count(list);
    if (isCounted(list)) endOf(list);
    if (list !== 'runs' && list !== 'runs.results')
      return isKept ? hold(names, keptItemOf(wantedAt(names), value), true) : undefined;
    if (!isFields(value)) throw notSarif(`${list} holds something that is no object`);
    held.result = 0;
    if (list === 'runs') held.run = 0;
    if (list === 'runs') consumer.run(value);
    else consumer.result(value);
    return undefined;
  };

  const take = (names: readonly string[], value: unknown, isItem: boolean): unknown => {
    if (isItem) return takeItem(names, value);
    if (names.length === 1) checkRoot(names[0] ?? '', value);
    if (names.length === 2 && names[1] === 'results' && value !== null && !Array.isArray(value))
      throw notSarif('The results of a run are not a list');
    return hold(names, keptOf(wantedAt(names), value), false);
  };

  const bounds = {
    depth: maxDepth,
    values,
    string: fixedValue(limits.stringSize),
    names: { depth: 'depth', values: 'codeScanning.values', string: 'codeScanning.stringSize' },
  };
  const reader = jsonReader(bounds, take);
  return {
    write: (part) => asSarif(() => reader.write(part)),
    end() {
      const read = asSarif(() => reader.end());
      checkWhole(read);
    },
  };
}

const maxHeld = fixedValue(limits.held);
/** The size that is counted for a value without characters: about the memory of an object. */
const charactersOfValue = 32;

/** The maximum nesting of lists and objects. Stacks and code flows are flatter. */
const maxDepth = 64;

function checkRoot(name: string, value: unknown): void {
  if (name === 'version' && value !== '2.1.0') throw notSarif('The version of the file is not 2.1.0');
  if (name === 'runs' && !Array.isArray(value)) throw notSarif('The runs of the file are not a list');
}

function checkWhole(read: Json | undefined): void {
  if (!isFields(read?.value)) throw notSarif('The file is not a JSON object');
  for (const name of ['version', 'runs']) if (!Object.hasOwn(read.value, name)) throw notSarif(`The file has no ${name}`);
}

/** Turns errors of the JSON reader into refusals of the file. */
function asSarif<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal && error.errors.length === 0) throw notSarif(error.message);
    throw error;
  }
}
