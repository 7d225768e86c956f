// Files of the Open Source Vulnerability format, version 1 (https://ossf.github.io/osv-schema/).

import cvss from 'ae-cvss-calculator';
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import { fixedValue } from '#lib/limits.ts';
import { type Ecosystem, pythonName } from '#resources/security/dependency-graph/index.ts';
import type { NewAdvisory, NewVulnerability } from './advisory-store.ts';
import { alertLimits } from './limits.ts';
import { isComparable } from './versions.ts';

const text = Type.String({ maxLength: 100_000 });
const word = Type.String({ maxLength: 1_000 });
const moment = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' });

const Osv = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]{2,99}$' }),
  modified: moment,
  published: Type.Optional(moment),
  withdrawn: Type.Optional(moment),
  aliases: Type.Optional(Type.Array(word)),
  summary: Type.Optional(text),
  details: Type.Optional(text),
  severity: Type.Optional(Type.Array(Type.Object({ type: word, score: word }))),
  references: Type.Optional(Type.Array(Type.Object({ url: Type.String({ maxLength: 4_096 }) }))),
  affected: Type.Optional(
    Type.Array(
      Type.Object({
        package: Type.Optional(Type.Object({ ecosystem: word, name: Type.String({ minLength: 1, maxLength: 500 }) })),
        ranges: Type.Optional(
          Type.Array(Type.Object({ type: word, events: Type.Array(Type.Record(Type.String(), Type.Unknown())) })),
        ),
        versions: Type.Optional(Type.Array(word, { maxItems: 5_000 })),
        database_specific: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      }),
    ),
  ),
  database_specific: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
type Osv = Static<typeof Osv>;
type Affected = NonNullable<Osv['affected']>[number];

const ecosystems: Readonly<Record<string, Ecosystem>> = {
  npm: 'npm',
  PyPI: 'pip',
  Go: 'go',
  'crates.io': 'rust',
  Maven: 'maven',
};

export type ReadAdvisory = {
  advisory: NewAdvisory;
  vulnerabilities: NewVulnerability[];
  /** Whether the file's own id is the advisory's identifier. */
  isOwn: boolean;
};

/** The contents of a file. @throws Error that describes the problem */
export function readOsv(content: string): ReadAdvisory {
  const osv: unknown = JSON.parse(content);
  if (!Check(Osv, osv)) throw new Error('is not an OSV file');
  if (content.includes('\\u0000') || !content.isWellFormed()) throw new Error('holds characters that can’t be stored');
  // Databases use different names for the same vulnerability; alerts use the public API's identifier.
  const identifier = [osv.id, ...(osv.aliases ?? [])].find((id) => /^GHSA(-[23456789cfghjmpqrvwx]{4}){3}$/.test(id)) ?? osv.id;
  const vulnerabilities = (osv.affected ?? []).flatMap(vulnerabilitiesOf);
  if (vulnerabilities.length > fixedValue(alertLimits.vulnerabilities)) throw new Error('has too many ranges');
  const { v3, v4 } = scoresOf(osv);
  const isMalware = osv.id.startsWith('MAL-');
  const advisory = {
    identifier,
    cve: [osv.id, ...(osv.aliases ?? [])].find((id) => /^CVE-\d{4}-\d{4,19}$/.test(id)) ?? null,
    summary: (osv.summary ?? osv.details ?? identifier).split('\n')[0]?.slice(0, 1_024) || identifier,
    description: osv.details ?? osv.summary ?? '',
    severity: severityOf(osv, v4?.score ?? v3?.score, isMalware),
    classification: isMalware ? ('malware' as const) : ('general' as const),
    cvss_v3: v3?.vector ?? null,
    cvss_v3_score: v3?.score ?? null,
    cvss_v4: v4?.vector ?? null,
    cvss_v4_score: v4?.score ?? null,
    cwes: cwesOf(osv),
    urls: (osv.references ?? []).slice(0, 100).map(({ url }) => url),
    published_at: new Date(osv.published ?? osv.modified),
    updated_at: new Date(osv.modified),
    withdrawn_at: osv.withdrawn === undefined ? null : new Date(osv.withdrawn),
    is_own: false,
    repository_advisory_id: null,
  };
  if ([advisory.published_at, advisory.updated_at].some((time) => Number.isNaN(time.getTime())))
    throw new Error('has a time that isn’t one');
  return { advisory, vulnerabilities, isOwn: identifier === osv.id };
}

/** The ranges of an affected package. Its list of versions is read only if it has no ranges. */
function vulnerabilitiesOf({ package: named, ranges = [], versions = [], database_specific }: Affected): NewVulnerability[] {
  const ecosystem = Object.hasOwn(ecosystems, named?.ecosystem ?? '') ? ecosystems[named?.ecosystem ?? ''] : undefined;
  if (!named || ecosystem === undefined) return [];
  const of = { ecosystem, package: ecosystem === 'pip' ? pythonName(named.name) : named.name };
  const readable = ranges.filter(({ type }) => type === 'SEMVER' || type === 'ECOSYSTEM');
  if (readable.length === 0)
    return versions.length === 0 ? [] : [{ ...of, introduced: null, fixed: null, last_affected: null, versions }];
  const last = lastKnown(database_specific?.last_known_affected_version_range);
  return readable
    .flatMap(({ events }) => intervalsOf(ecosystem, events, last))
    .map((interval) => ({ ...of, ...interval, versions: null }));
}

/** The upper bound that the public database specifies next to a range without a fixed version. */
function lastKnown(written: unknown): { fixed: string | null; last_affected: string | null } {
  const [, sign, version = null] = (typeof written === 'string' ? /^(<=?)\s*(\S{1,200})$/.exec(written) : null) ?? [];
  return sign === '<' ? { fixed: version, last_affected: null } : { fixed: null, last_affected: version };
}

type Interval = Pick<NewVulnerability, 'introduced' | 'fixed' | 'last_affected'>;

/** The ranges of a list of events: each starts with `introduced`, and may end with `fixed` or `last_affected`. */
function intervalsOf(
  ecosystem: Ecosystem,
  events: readonly Readonly<Record<string, unknown>>[],
  last: Omit<Interval, 'introduced'>,
): Interval[] {
  const intervals: Interval[] = [];
  let open: { introduced: string | null } | undefined;
  for (const event of events) {
    const [[name, value] = []] = Object.entries(event);
    if (typeof value !== 'string' || !['introduced', 'fixed', 'last_affected'].includes(name ?? '')) continue;
    if (value !== '0' && !isComparable(ecosystem, value)) throw new Error('has a version that can’t be compared');
    if (name === 'introduced') {
      if (open) throw new Error('has a range that begins twice');
      open = { introduced: value === '0' ? null : value };
    } else if (open) {
      intervals.push({ ...open, fixed: name === 'fixed' ? value : null, last_affected: name === 'fixed' ? null : value });
      open = undefined;
    }
  }
  const isLast = [last.fixed, last.last_affected].every((version) => version === null || isComparable(ecosystem, version));
  return open ? [...intervals, { ...open, ...(isLast ? last : { fixed: null, last_affected: null }) }] : intervals;
}

type Score = { vector: string; score: number };

/** The scores of CVSS vectors. Invalid vectors have none. */
function scoresOf({ severity = [] }: Osv): { v3: Score | undefined; v4: Score | undefined } {
  const of = (type: string): Score | undefined => {
    const vector = severity.find((one) => one.type === type)?.score;
    return vector === undefined ? undefined : scoreOf(vector);
  };
  return { v3: of('CVSS_V3'), v4: of('CVSS_V4') };
}

/** The score of a vector of CVSS 3 or 4; undefined if it is invalid. */
export function scoreOf(vector: string): Score | undefined {
  try {
    const parsed = cvss.fromVector(vector);
    if (!parsed?.isBaseFullyDefined()) return undefined;
    const { overall } = parsed.calculateScores();
    return Number.isFinite(overall) ? { vector, score: overall } : undefined;
  } catch {
    return undefined;
  }
}

const levels: Readonly<Record<string, NewAdvisory['severity']>> = {
  LOW: 'low',
  MODERATE: 'medium',
  MEDIUM: 'medium',
  HIGH: 'high',
  CRITICAL: 'critical',
};

export const levelOf = (score: number): NewAdvisory['severity'] =>
  score >= 9 ? 'critical' : score >= 7 ? 'high' : score >= 4 ? 'medium' : 'low';

/**
 * The database's severity, or else the one that follows from the score. Alerts need a severity, so unrated advisories get a
 * medium one; malware is critical.
 */
function severityOf({ database_specific }: Osv, score: number | undefined, isMalware: boolean): NewAdvisory['severity'] {
  const said = database_specific?.severity;
  const level = typeof said === 'string' && Object.hasOwn(levels, said.toUpperCase()) ? levels[said.toUpperCase()] : undefined;
  return level ?? (score !== undefined ? levelOf(score) : isMalware ? 'critical' : 'medium');
}

function cwesOf({ database_specific }: Osv): string[] {
  const ids = database_specific?.cwe_ids;
  return (Array.isArray(ids) ? ids : [])
    .filter((id): id is string => typeof id === 'string' && /^CWE-\d{1,5}$/.test(id))
    .slice(0, 100);
}
