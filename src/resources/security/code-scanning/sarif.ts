// Reads SARIF 2.1.0 (OASIS) part by part: of a file, only the result that is being read and what is known of its run are held.

import { type Json, jsonReader } from '#lib/json-reader.ts';
import { fixedValue, type LimitValues } from '#lib/limits.ts';
import { Refusal } from '#lib/refusal.ts';
import { codeScanningLimits } from './limits.ts';

/** An object of JSON, of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Is told of each result as soon as it is read, and of each run after its results. Both hold no other fields than `wanted` names. */
export type SarifConsumer = {
  result(result: Fields): void;
  run(run: Fields): void;
};

export type SarifReader = {
  /** Reads the next part. @throws Refusal 400 as soon as the text is no SARIF 2.1.0, or exceeds a limit */
  write(part: Buffer): void;
  /** Ends the text. @throws Refusal 400 where something is missing */
  end(): void;
};

type Wanted = true | { readonly [name: string]: Wanted };

const message = { text: true, markdown: true, id: true, arguments: true } as const;
const rule = {
  id: true,
  name: true,
  shortDescription: message,
  fullDescription: message,
  help: message,
  helpUri: true,
  messageStrings: true,
  defaultConfiguration: { level: true },
  properties: { tags: true, 'security-severity': true, 'problem.severity': true, precision: true },
} as const;
const component = { name: true, version: true, semanticVersion: true, guid: true, informationUri: true, rules: rule } as const;

/** What is read of a file; all else is left out. */
const wanted: Wanted = {
  $schema: true,
  version: true,
  runs: {
    tool: { driver: component, extensions: component },
    automationDetails: { id: true },
    originalUriBaseIds: true,
    results: {
      ruleId: true,
      ruleIndex: true,
      rule: { id: true, index: true, toolComponent: { index: true } },
      kind: true,
      level: true,
      message,
      locations: {
        physicalLocation: {
          artifactLocation: { uri: true, uriBaseId: true },
          region: { startLine: true, endLine: true, startColumn: true, endColumn: true },
        },
      },
      partialFingerprints: true,
      suppressions: { kind: true, status: true },
    },
  },
};

function isWanted(names: readonly string[]): boolean {
  let at: Wanted = wanted;
  for (const name of names) {
    if (at === true) return true;
    const next: Wanted | undefined = Object.hasOwn(at, name) ? at[name] : undefined;
    if (next === undefined) return false;
    at = next;
  }
  return true;
}

/** Why a file isn't taken, with the field that brings it. */
export const notSarif = (message: string): Refusal =>
  new Refusal('bad_request', message, [{ resource: 'Sarif', field: 'sarif', code: 'invalid', message }]);

const limits = codeScanningLimits;

/** Lists whose items are counted, by the names that lead to them, and what is counted anew with each of their owners. */
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

/** A reader of one file, which tells the consumer what it reads. */
export function sarifReader(
  consumer: SarifConsumer,
  { values }: Pick<LimitValues<typeof codeScanningLimits>, 'values'>,
): SarifReader {
  const counts = new Map<Counted, number>();

  /** Counts an item, and tells whether it is kept. */
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

  const takeItem = (names: readonly string[], value: unknown): unknown => {
    const last = names.at(-1) ?? '';
    const list = lastNames.has(last) ? names.join('.') : '';
    if (!isCounted(list)) return value;
    const isKept = count(list);
    endOf(list);
    if (list !== 'runs' && list !== 'runs.results') return isKept ? value : undefined;
    if (!isFields(value)) throw notSarif(`${list} holds something that is no object`);
    if (list === 'runs') consumer.run(value);
    else consumer.result(value);
    return undefined;
  };

  const take = (names: readonly string[], value: unknown, isItem: boolean): unknown => {
    if (isItem) return takeItem(names, value);
    if (names.length === 1) checkRoot(names[0] ?? '', value);
    if (names.length === 2 && names[1] === 'results' && value !== null && !Array.isArray(value))
      throw notSarif('The results of a run are no list');
    return isWanted(names) ? value : undefined;
  };

  const bounds = { depth: maxDepth, values, names: { depth: 'depth', values: 'codeScanning.values' } };
  const reader = jsonReader(bounds, take);
  return {
    write: (part) => asSarif(() => reader.write(part)),
    end() {
      const read = asSarif(() => reader.end());
      checkWhole(read);
    },
  };
}

/** How deeply lists and objects may nest: stacks and code flows are shallower. */
const maxDepth = 64;

function checkRoot(name: string, value: unknown): void {
  if (name === 'version' && value !== '2.1.0') throw notSarif('The version of the file is not 2.1.0');
  if (name === 'runs' && !Array.isArray(value)) throw notSarif('The runs of the file are no list');
}

function checkWhole(read: Json | undefined): void {
  if (!isFields(read?.value)) throw notSarif('The file is no JSON object');
  for (const name of ['version', 'runs']) if (!Object.hasOwn(read.value, name)) throw notSarif(`The file has no ${name}`);
}

/** What a reader of JSON refuses is refused as a file. */
function asSarif<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal && error.errors.length === 0) throw notSarif(error.message);
    throw error;
  }
}
