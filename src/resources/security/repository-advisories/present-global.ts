import { path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional, getOrThrow, keyed, unique } from '#lib/collections.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { loadAccounts, presentUser } from '#resources/identity/accounts/index.ts';
import { loadPackageVulnerabilities, presentScores, rangeText } from '#resources/security/dependency-alerts/index.ts';
import { type GlobalRow, loadOrigins } from './global-store.ts';
import { advisoryLinks, presentAffected } from './present.ts';
import { firstPatched } from './ranges.ts';
import type { GlobalAdvisory, RepositoryAdvisory, SecurityAdvisory } from './schemas.ts';
import { loadCredits, loadVulnerabilities } from './store.ts';

/**
 * Presents a page of advisories. An advisory that a repository published shows its products in their original form, and the users
 * who accepted credit.
 */
export async function presentGlobalAdvisories({ db, links }: Scope, rows: readonly GlobalRow[]): Promise<GlobalAdvisory[]> {
  const own = unique(gather(rows, 'repository_advisory_id'));
  const [ranges, origins, vulnerabilities, credits] = await Promise.all([
    loadPackageVulnerabilities(db, gather(rows, 'id')),
    own.length === 0 ? [] : loadOrigins(db, own),
    loadVulnerabilities(db, own),
    loadCredits(db, own),
  ]);
  const accounts = await loadAccounts(db, gather([...credits.values()].flat(), 'user_id'));
  const originOf = keyed(origins, ({ id }) => id);
  return rows.map((row) => {
    const origin = getOptional(originOf, row.repository_advisory_id);
    const repo = origin && { name: origin.name, owner: { login: origin.login } };
    const ofFile = () =>
      (ranges.get(row.id) ?? []).map((range) => ({
        package: { ecosystem: range.ecosystem, name: range.package },
        vulnerable_version_range: rangeText(range),
        first_patched_version: range.fixed,
        vulnerable_functions: [],
      }));
    return {
      ...presentScores(row),
      url: path(`${links.api}/advisories`, row.identifier),
      html_url: path(`${links.html}/advisories`, row.identifier),
      repository_advisory_url: repo ? advisoryLinks({ links }, repo, row.identifier).url : null,
      summary: row.summary,
      description: row.description,
      type: row.is_own ? 'unreviewed' : row.classification === 'malware' ? 'malware' : 'reviewed',
      severity: origin ? (origin.severity ?? 'unknown') : row.severity,
      source_code_location: repo ? path(links.html, repo.owner.login, repo.name) : null,
      references: row.urls,
      published_at: timestamp(row.published_at),
      updated_at: timestamp(row.updated_at),
      service_reviewed_at: null,
      nvd_published_at: null,
      withdrawn_at: timestampOrNull(row.withdrawn_at),
      vulnerabilities: origin
        ? (vulnerabilities.get(origin.id) ?? []).map((one) => ({
            ...presentAffected(one),
            first_patched_version: firstPatched(one.patched_versions),
          }))
        : ofFile(),
      credits: (origin ? (credits.get(origin.id) ?? []) : [])
        .filter(({ state }) => state === 'accepted')
        .map(({ user_id, type }) => ({ user: presentUser(links, getOrThrow(accounts, user_id)), type })),
    };
  });
}

/** A published advisory of a repository, in payloads for apps. */
export function presentSecurityAdvisory(advisory: RepositoryAdvisory): SecurityAdvisory {
  const { advisory_id, cve_id, url, html_url, summary, description, identifiers, cvss, cvss_severities, cwes } = advisory;
  const severity = advisory.severity ?? 'unknown';
  return {
    ...{ advisory_id, cve_id, url, html_url, summary, description, identifiers, cvss_severities, cwes, severity },
    cvss: { vector_string: cvss?.vector_string ?? null, score: cvss?.score ?? 0 },
    references: [{ url: html_url }],
    published_at: advisory.published_at ?? advisory.updated_at,
    updated_at: advisory.updated_at,
    withdrawn_at: advisory.withdrawn_at,
    vulnerabilities: advisory.vulnerabilities.map(
      ({ package: { ecosystem, name }, vulnerable_version_range, patched_versions }) => {
        const patched = firstPatched(patched_versions);
        return {
          package: { ecosystem, name: name ?? '' },
          severity,
          vulnerable_version_range: vulnerable_version_range ?? '',
          first_patched_version: patched === null ? null : { identifier: patched },
        };
      },
    ),
  };
}
