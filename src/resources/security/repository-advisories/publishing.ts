// Publishes an advisory beyond its repository: the server then knows it, and it raises alerts.

import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { advisoryPackage, announceAdvisory } from '#resources/security/dependency-alerts/index.ts';
import { isCompared, vulnerableOf } from './ranges.ts';
import { type AdvisoryRow, loadVulnerabilities, type VulnerabilityRow } from './store.ts';

/** Publishes an advisory to the server, or updates it. An unrated one gets a medium severity, as advisories from files do. */
export async function announce(scope: WriteScope, { now }: Pick<RepositoryAction, 'now'>, row: AdvisoryRow): Promise<void> {
  if (row.published_at === null) return;
  const { identifier, cve, summary, description, cvss_v3, cvss_v3_score, cvss_v4, cvss_v4_score, cwes } = row;
  const vulnerabilities = (await loadVulnerabilities(scope.tx, [row.id])).get(row.id) ?? [];
  const advisory = {
    ...{ identifier, cve, summary, description, cvss_v3, cvss_v3_score, cvss_v4, cvss_v4_score, cwes },
    severity: row.severity ?? ('medium' as const),
    classification: 'general' as const,
    urls: [],
    published_at: row.published_at,
    updated_at: row.updated_at,
    withdrawn_at: row.withdrawn_at,
    is_own: true,
    repository_advisory_id: row.id,
  };
  await announceAdvisory(scope, { now }, advisory, vulnerabilities.flatMap(comparedOf));
}

/** A vulnerable product in the form for alerts; undefined if alerts don't support it. */
function comparedOf({ ecosystem, package: name, vulnerable_version_range }: VulnerabilityRow) {
  const vulnerable = vulnerableOf(vulnerable_version_range);
  if (!vulnerable || name === null || !isCompared(ecosystem)) return [];
  const versions = vulnerable.versions && [...vulnerable.versions];
  return [{ ecosystem, package: advisoryPackage(ecosystem, name), ...vulnerable, versions }];
}
