// Extracts tools, rules and results from the runs of a SARIF file, in the terms of alerts.
import { fixedValue } from '#lib/limits.ts';
import { periodicYield } from '#lib/turns.ts';
import { codeScanningLimits } from './limits.ts';
import { type Fields, notSarif, type SarifConsumer } from './sarif.ts';
import { fileOf } from './source-paths.ts';

export const severities = ['none', 'note', 'warning', 'error'] as const;
type Severity = (typeof severities)[number];
export const securityLevels = ['low', 'medium', 'high', 'critical'] as const;
type SecurityLevel = (typeof securityLevels)[number];

export type ReadRule = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly fullDescription: string;
  readonly tags: readonly string[];
  readonly securityLevel: SecurityLevel | null;
  readonly help: string | null;
  readonly helpUri: string | null;
};

/** A result. Lines and columns start with 1, and columns end before the end column. */
export type ReadResult = {
  /** The index of the result within its run, from 0. */
  readonly position: number;
  readonly rule: ReadRule;
  readonly severity: Severity;
  readonly message: string;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly startColumn: number;
  readonly endColumn: number;
  /** The tool's own fingerprint, which is equal for equal results of two runs. */
  readonly lineHash: string | undefined;
};

export type ReadRun = {
  readonly tool: string;
  readonly toolVersion: string | null;
  readonly toolGuid: string | null;
  readonly category: string;
  readonly rulesCount: number;
  readonly resultsCount: number;
  /** The number of results in the file, including suppressed ones and those that report no problem. */
  readonly positions: number;
  /** The results that become alerts, most severe first. */
  readonly results: readonly ReadResult[];
  readonly warning: string;
};

type Options = { readonly toolName: string | null; readonly checkoutUri: string | null };

/** Collects the runs of a file. */
export type GatheredRuns = SarifConsumer & {
  /**
   * Processes the runs that have ended since the last call, and yields meanwhile. Only the most severe results of each are kept.
   */
  settle(): Promise<void>;
  readonly runs: readonly ReadRun[];
};

type EndedRun = { readonly run: Fields; readonly reported: ReportedResult[]; readonly positions: number };

export function gatherRuns(options: Options): GatheredRuns {
  const runs: ReadRun[] = [];
  let ended: EndedRun[] = [];
  let pending: ReportedResult[] = [];
  let position = 0;
  const held = { pending: 0, messages: 0 };
  return {
    runs,
    result(result) {
      const reported = reportedOf(result, position++);
      if (!reported) return;
      pending.push(reported);
      held.pending += charactersOf(reported);
      checkHeld(held.pending);
    },
    run(run) {
      ended.push({ run, reported: pending, positions: position });
      pending = [];
      position = 0;
      held.pending = 0;
    },
    async settle() {
      const some = ended;
      ended = [];
      for (const { run, reported, positions } of some) {
        const read = { ...(await readRun(run, reported, options)), positions };
        if (runs.some(({ tool, category }) => tool === read.tool && category === read.category))
          throw notSarif(`The file has two runs of ${read.tool} in one category`);
        for (const { message, path } of read.results) held.messages += message.length + path.length;
        checkHeld(held.messages);
        runs.push(read);
      }
    },
  };
}

function checkHeld(characters: number): void {
  const most = fixedValue(codeScanningLimits.held);
  if (characters > most) throw notSarif(`The results of the file hold more than ${most} characters (codeScanning.held)`);
}

/** A result as in its file, before the rules and addresses of its run are known. */
type ReportedResult = {
  readonly position: number;
  readonly ruleId: string;
  readonly ruleIndex: number;
  /** The tool's extension that the rule belongs to; -1 for the tool itself. */
  readonly extension: number;
  readonly kind: string;
  readonly level: string;
  readonly message: string;
  readonly messageId: string;
  readonly arguments: readonly string[];
  readonly uri: string;
  readonly uriBaseId: string;
  readonly region: Fields;
  readonly lineHash: string | undefined;
};

const charactersOf = (reported: ReportedResult): number =>
  [reported.ruleId, reported.message, reported.messageId, reported.uri, reported.uriBaseId, ...reported.arguments].reduce(
    (sum, text) => sum + text.length,
    0,
  );

/** Results of other kinds report that there is no problem. */
const problemKinds = new Set(['', 'fail', 'open', 'review']);

/** Undefined if it reports no problem, or is suppressed in the code (SARIF, 3.27.23). */
function reportedOf(result: Fields, position: number): ReportedResult | undefined {
  const rule = fieldsOf(result.rule);
  const message = fieldsOf(result.message);
  const kind = textOf(result.kind);
  if (!problemKinds.has(kind) || isSuppressed(result)) return undefined;
  const [location] = listOf(result.locations);
  if (location === undefined) throw notSarif('A result has no location');
  const { artifactLocation, region } = fieldsOf(fieldsOf(location).physicalLocation);
  const { uri, uriBaseId } = fieldsOf(artifactLocation);
  const hash = textOf(fieldsOf(result.partialFingerprints).primaryLocationLineHash).slice(0, maxName);
  return {
    position,
    ruleId: textOf(result.ruleId) || textOf(rule.id),
    ruleIndex: indexOf(result.ruleIndex) ?? indexOf(rule.index) ?? -1,
    extension: indexOf(fieldsOf(rule.toolComponent).index) ?? -1,
    kind,
    level: textOf(result.level),
    message: (textOf(message.text) || textOf(message.markdown)).slice(0, maxMessage),
    messageId: textOf(message.id),
    arguments: listOf(message.arguments).map(textOf),
    uri: textOf(uri),
    uriBaseId: textOf(uriBaseId),
    region: fieldsOf(region),
    lineHash: hash === '' ? undefined : hash,
  };
}

const isSuppressed = ({ suppressions }: Fields): boolean => {
  const all = listOf(suppressions).map(fieldsOf);
  return all.length > 0 && all.every(({ status }) => status === undefined || status === 'accepted');
};

async function readRun(
  run: Fields,
  reported: readonly ReportedResult[],
  { toolName, checkoutUri }: Options,
): Promise<Omit<ReadRun, 'positions'>> {
  const yieldNow = periodicYield();
  const tool = fieldsOf(run.tool);
  const driver = fieldsOf(tool.driver);
  const extensions = listOf(tool.extensions).map(fieldsOf);
  const find = ruleFinder(driver, extensions);
  const paths = { checkoutUri, bases: fieldsOf(run.originalUriBaseIds) };
  const ranked: Ranked[] = [];
  for (const one of reported) {
    const { rule, level, strings } = find(one);
    const severity = severityOf(one, level);
    ranked.push({ rule, strings, severity, reported: one, rank: rankOf({ rule, severity }) });
    await yieldNow();
  }
  const most = fixedValue(codeScanningLimits.resultsKept);
  const results: ReadResult[] = [];
  for (const { rule, strings, severity, reported: one } of ranked.length > most
    ? ranked.sort(bySeverity).slice(0, most)
    : ranked) {
    results.push({
      position: one.position,
      rule,
      severity,
      message: messageOf(one, strings) || rule.description,
      path: fileOf(one.uri, { ...paths, baseId: one.uriBaseId }),
      ...regionOf(one.region),
      lineHash: one.lineHash,
    });
    await yieldNow();
  }
  return {
    tool: clean(textOf(driver.name) || toolName || 'API', maxName),
    toolVersion: clean(textOf(driver.semanticVersion) || textOf(driver.version), maxName) || null,
    toolGuid: clean(textOf(driver.guid), maxName) || null,
    category: categoryOf(textOf(fieldsOf(run.automationDetails).id)),
    rulesCount: [driver, ...extensions].reduce((sum, { rules }) => sum + listOf(rules).length, 0),
    resultsCount: reported.length,
    results,
    warning: reported.length > most ? `Only the ${most} most severe of ${reported.length} results were taken` : '',
  };
}

/** The identifier of a run is `<category>/<name of the run>`. */
export const categoryOf = (id: string): string => clean(id.slice(0, Math.max(0, id.lastIndexOf('/'))), maxName);

type Ranked = Pick<ReadResult, 'rule' | 'severity'> & {
  readonly reported: ReportedResult;
  readonly strings: Fields;
  readonly rank: number;
};

const bySeverity = (one: Ranked, other: Ranked): number =>
  other.rank - one.rank || one.reported.position - other.reported.position;

const rankOf = ({ rule, severity }: Pick<Ranked, 'rule' | 'severity'>): number =>
  (rule.securityLevel === null ? 0 : securityLevels.indexOf(rule.securityLevel) + 1) * severities.length +
  severities.indexOf(severity);

type FoundRule = { readonly rule: ReadRule; readonly level: string; readonly strings: Fields };

/**
 * Finds the rule of a result: by its index in the tool or an extension, or by its name. A rule without a description has only its
 * name.
 */
function ruleFinder(driver: Fields, extensions: readonly Fields[]): (result: ReportedResult) => FoundRule {
  const all = [driver, ...extensions].map(({ rules }) => listOf(rules).map(fieldsOf));
  const byId = new Map(all.flat().map((rule) => [textOf(rule.id), rule]));
  const known = new Map<Fields | string, FoundRule>();
  return ({ ruleId, ruleIndex, extension }) => {
    // A result may name a rule more precisely than the tool: CA1000/1 is described as CA1000 (SARIF, 3.27.5).
    const fields = all[extension + 1]?.[ruleIndex] ?? byId.get(ruleId) ?? byId.get(ruleId.slice(0, ruleId.lastIndexOf('/')));
    const id = clean(ruleId || textOf(fields?.id), maxName);
    if (id === '') throw notSarif('A result names no rule');
    const key = fields && textOf(fields.id) === id ? fields : id;
    const found = known.get(key) ?? {
      rule: readRule(id, fields ?? {}),
      level: textOf(fieldsOf(fields?.defaultConfiguration).level),
      strings: fieldsOf(fields?.messageStrings),
    };
    known.set(key, found);
    return found;
  };
}

function readRule(id: string, rule: Fields): ReadRule {
  const [short, full, help] = [rule.shortDescription, rule.fullDescription, rule.help].map(fieldsOf);
  const properties = fieldsOf(rule.properties);
  const description = textOf(short?.text) || textOf(full?.text) || textOf(rule.name) || id;
  return {
    id,
    name: clean(textOf(rule.name), maxName) || id,
    description: clean(description, maxDescription),
    fullDescription: clean(textOf(full?.text) || description, maxDescription),
    tags: listOf(properties.tags).flatMap((tag) => clean(textOf(tag), maxName) || []),
    securityLevel: securityLevelOf(Number(properties['security-severity'] ?? 0)),
    help: clean(textOf(help?.markdown) || textOf(help?.text), maxHelp) || null,
    helpUri: clean(textOf(rule.helpUri), maxHelpUri) || null,
  };
}

/** The public API's levels of a score from 0 to 10. */
function securityLevelOf(score: number): SecurityLevel | null {
  if (!(score > 0)) return null;
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  return score >= 4 ? 'medium' : 'low';
}

function severityOf({ level, kind }: ReportedResult, ofRule: string): Severity {
  const word = level || (kind === 'open' || kind === 'review' ? 'none' : ofRule) || 'warning';
  return severities.find((severity) => severity === word) ?? 'warning';
}

/** The text of a message, which may be a message of its rule with placeholders (SARIF, 3.11). */
function messageOf({ message, messageId, arguments: given }: ReportedResult, strings: Fields): string {
  const text = message || textOf(fieldsOf(strings[messageId]).text);
  return clean(given.length === 0 ? text : filledIn(text, given), maxMessage);
}

/** Replaces placeholders by arguments, up to the stored length, since one argument may be inserted thousands of times. */
function filledIn(text: string, given: readonly string[]): string {
  let filled = '';
  let at = 0;
  for (const { 0: place, 1: digits, index } of text.matchAll(/\{(\d{1,9})\}/g)) {
    if (filled.length > maxMessage) break;
    filled += text.slice(at, index) + (given[Number(digits)] ?? place);
    at = index + place.length;
  }
  return filled + text.slice(at);
}

function regionOf({ startLine, endLine, startColumn, endColumn }: Fields) {
  const from = coordinateOf(startLine) ?? 1;
  const to = Math.max(from, coordinateOf(endLine) ?? from);
  const column = coordinateOf(startColumn) ?? 1;
  const last = coordinateOf(endColumn) ?? column;
  return { startLine: from, endLine: to, startColumn: column, endColumn: to === from ? Math.max(column, last) : last };
}

const maxPosition = 2_147_483_647;
const coordinateOf = (value: unknown): number | undefined => {
  const coordinate = indexOf(value);
  return coordinate !== undefined && coordinate >= 1 && coordinate <= maxPosition ? coordinate : undefined;
};

const maxName = 255;
const maxDescription = 4_096;
const maxMessage = 8_192;
const maxHelp = 65_536;
const maxHelpUri = 2_048;

/** Removes characters that the database can't store. */
const clean = (text: string, most: number): string => text.replaceAll('\0', '').trim().slice(0, most).toWellFormed();

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}; // JSON has no other objects
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const indexOf = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? (value as number) : undefined);
