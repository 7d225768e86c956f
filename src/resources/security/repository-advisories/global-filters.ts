import type { Db } from '#database/connect.ts';
import { unique } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { invalid } from '#lib/refusal.ts';
import { advisoryPackage, versionCheck } from '#resources/security/dependency-alerts/index.ts';
import { readDateRange } from '#search/query/dates.ts';
import { type GlobalFilter, listRangesOf, type Times } from './global-store.ts';
import type { GlobalAdvisoryQuery } from './schemas.ts';

const refused = (field: string, message: string) => invalid('SecurityAdvisory', field, 'invalid', message);

const maxPackages = 1_000;

/** The values of a list, as an array or separated by commas. */
const wordsOf = (list: string | readonly string[] | undefined): string[] | undefined =>
  list === undefined
    ? undefined
    : unique((typeof list === 'string' ? list.split(',') : list).map((word) => word.trim()).filter((word) => word !== ''));

/**
 * The filter of a request; undefined if no advisory can match, since exploit probabilities (EPSS) are unknown.
 * @throws Refusal 422 for an invalid range or weakness, or too many packages
 */
export async function globalFilterOf(db: Db, query: GlobalAdvisoryQuery): Promise<GlobalFilter | undefined> {
  const times = (field: 'published' | 'updated' | 'modified'): Times | undefined => {
    const text = query[field];
    const range = text === undefined ? undefined : readDateRange(text);
    if (text !== undefined && !range) throw refused(field, `${field} is a date, or a range of dates as 2026-01-01..2026-01-31`);
    return range;
  };
  for (const field of ['epss_percentage', 'epss_percentile'] as const)
    if (query[field] !== undefined && !/^(?:[<>]=?)?\d(?:\.\d+)?(?:\.\.\d(?:\.\d+)?)?$/.test(query[field]))
      throw refused(field, `${field} is a number, or a range of numbers`);
  const cwes = wordsOf(query.cwes)?.map((word) => (/^\d{1,5}$/.test(word) ? `CWE-${word}` : word.toUpperCase()));
  if (cwes?.some((id) => !/^CWE-\d{1,5}$/.test(id))) throw refused('cwes', 'cwes are numbers, as 79,284');
  const affects = wordsOf(query.affects);
  if (affects && affects.length > maxPackages) throw refused('affects', `affects has ${maxPackages} packages at most`);
  const filter = {
    identifier: query.advisory_id,
    type: query.type,
    cve: query.cve_id,
    ecosystem: query.ecosystem,
    severity: query.severity,
    cwes,
    isWithdrawn: query.is_withdrawn,
    published: times('published'),
    updated: times('updated'),
    modified: times('modified'),
    sort: query.sort === 'updated' ? ('updated' as const) : ('published' as const),
    direction: query.direction,
  };
  if (query.epss_percentage !== undefined || query.epss_percentile !== undefined) return undefined;
  return { ...filter, ids: affects && (await affecting(db, affects)) };
}

/** The advisories about packages, given as a name or as `package@version`. */
async function affecting(db: Db, affects: readonly string[]): Promise<Id<'advisories'>[]> {
  const wanted = affects.map((text) => {
    const at = text.lastIndexOf('@');
    return at > 0 ? { name: text.slice(0, at), version: text.slice(at + 1) } : { name: text, version: undefined };
  });
  const names = wanted.flatMap(({ name }) => [name, advisoryPackage('pip', name)]);
  const versions = new Map<string, (string | undefined)[]>();
  for (const { name, version } of wanted)
    for (const known of unique([name, advisoryPackage('pip', name)]))
      versions.set(known, [...(versions.get(known) ?? []), version]);
  const ranges = await listRangesOf(db, unique(names));
  const check = versionCheck();
  const hits = new Set<Id<'advisories'>>();
  for (const range of ranges)
    for (const version of versions.get(range.package) ?? []) {
      if (hits.has(range.advisory_id)) break;
      if (version === undefined || (await check.isVulnerable(range.ecosystem, version, range))) hits.add(range.advisory_id);
      if (check.isExhausted) throw refused('affects', 'affects names too many versions of packages with many advisories');
    }
  return [...hits];
}
