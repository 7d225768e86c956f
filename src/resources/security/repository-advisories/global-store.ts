import { type Selectable, sql } from 'kysely';
import type { Db } from '#database/connect.ts';
import { listWalked, orderBy } from '#database/list.ts';
import type { DB } from '#database/tables.ts';
import type { Id } from '#lib/id.ts';
import type { Page, Walked } from '#lib/page.ts';
import type { PackageVulnerabilityRow } from '#resources/security/dependency-alerts/index.ts';

export type GlobalRow = Selectable<DB['advisories']>;

/** A filter of the server's advisories. A range of times includes `from`, and excludes `until`. */
export type GlobalFilter = {
  identifier?: string | undefined;
  type: 'reviewed' | 'malware' | 'unreviewed';
  cve?: string | undefined;
  ecosystem?: string | undefined;
  severity?: string | undefined;
  cwes?: readonly string[] | undefined;
  isWithdrawn?: boolean | undefined;
  ids?: readonly Id<'advisories'>[] | undefined;
  published?: Times | undefined;
  updated?: Times | undefined;
  modified?: Times | undefined;
  sort: 'updated' | 'published';
  direction: 'asc' | 'desc';
};
export type Times = { from?: number; until?: number };

/** Advisories that everybody may read: from files, and from public repositories. */
const selectPublic = (db: Db) =>
  db
    .selectFrom('advisories as a')
    .selectAll('a')
    .where(
      sql<boolean>`(not a.is_own or exists (select from repository_advisories own join repositories o on o.id = own.repository_id
        where own.id = a.repository_advisory_id and o.visibility = 'public'))`,
    );

/** An advisory by its identifier. */
export const selectGlobalAdvisory = (db: Db, identifier: string) => selectPublic(db).where('a.identifier', '=', identifier);

const within = (column: 'published_at' | 'updated_at', { from, until }: Times) =>
  sql<boolean>`(a.${sql.ref(column)} >= ${from === undefined ? '-infinity' : new Date(from)}
    and a.${sql.ref(column)} < ${until === undefined ? 'infinity' : new Date(until)})`;

export function listGlobalAdvisories(db: Db, filter: GlobalFilter, page: Page): Promise<Walked<GlobalRow>> {
  const { identifier, type, cve, ecosystem, severity, cwes, isWithdrawn, ids, published, updated, modified } = filter;
  let query = selectPublic(db)
    .where('a.is_own', '=', type === 'unreviewed')
    .where('a.classification', '=', type === 'malware' ? 'malware' : 'general');
  if (identifier !== undefined) query = query.where('a.identifier', '=', identifier);
  if (cve !== undefined) query = query.where('a.cve', '=', cve);
  if (severity !== undefined) query = query.where(sql<boolean>`a.severity = ${severity}`);
  if (cwes !== undefined) query = query.where(sql<boolean>`a.cwes && ${[...cwes]}::text[]`);
  if (isWithdrawn !== undefined) query = query.where('a.withdrawn_at', isWithdrawn ? 'is not' : 'is', null);
  if (ids !== undefined) query = query.where(sql<boolean>`a.id = any (${[...ids]}::bigint[])`);
  if (ecosystem !== undefined)
    query = query.where(
      sql<boolean>`(exists (select from advisory_vulnerabilities v where v.advisory_id = a.id and v.ecosystem = ${ecosystem})
        or exists (select from repository_advisory_vulnerabilities v
          where v.advisory_id = a.repository_advisory_id and v.ecosystem = ${ecosystem}))`,
    );
  if (published) query = query.where(within('published_at', published));
  if (updated) query = query.where(within('updated_at', updated));
  if (modified) query = query.where(sql<boolean>`(${within('published_at', modified)} or ${within('updated_at', modified)})`);
  const column = filter.sort === 'updated' ? 'updated_at' : 'published_at';
  return listWalked(db, query, orderBy('a', column, 'timestamptz', filter.direction), page);
}

/** The maximum number of vulnerable ranges that are checked for the packages of one request. */
const maxRanges = 50_000;

/** The vulnerable ranges of packages with these names, in any ecosystem. */
export const listRangesOf = (db: Db, names: readonly string[]): Promise<PackageVulnerabilityRow[]> =>
  db
    .selectFrom('advisory_vulnerabilities')
    .selectAll()
    .where(sql<boolean>`(ecosystem, package) in (select e, n from unnest(array['npm', 'pip', 'go', 'rust', 'maven']) as e,
      unnest(${[...names]}::text[]) as n)`)
    .limit(maxRanges)
    .execute();

/** The repository advisories that these came from, with their publisher and repository. */
export const loadOrigins = (db: Db, ids: readonly Id<'repository_advisories'>[]) =>
  db
    .selectFrom('repository_advisories as a')
    .innerJoin('repositories as r', 'r.id', 'a.repository_id')
    .innerJoin('accounts as o', 'o.id', 'r.owner_id')
    .select(['a.id', 'a.severity', 'r.name', 'o.login'])
    .where('a.id', 'in', ids)
    .execute();
