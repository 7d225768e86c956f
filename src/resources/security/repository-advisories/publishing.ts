// What a published advisory becomes beyond its repository: one that the server knows, and that raises alerts.

import type { RepositoryAction } from '#access/action.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { advisoryPackage, announceAdvisory } from '#resources/security/dependency-alerts/index.ts';
import { isCompared, vulnerableOf } from './ranges.ts';
import { type AdvisoryRow, loadVulnerabilities, type VulnerabilityRow } from './store.ts';

/**
 * Makes a published advisory known to the server, as it is now. Where nobody judged it, it is in the middle, as those of files
 * are.
 */
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

/** A vulnerable product as alerts compare it; none where they can't. */
function comparedOf({ ecosystem, package: name, vulnerable_version_range }: VulnerabilityRow) {
  const vulnerable = vulnerableOf(vulnerable_version_range);
  if (!vulnerable || name === null || !isCompared(ecosystem)) return [];
  const versions = vulnerable.versions && [...vulnerable.versions];
  return [{ ecosystem, package: advisoryPackage(ecosystem, name), ...vulnerable, versions }];
}
