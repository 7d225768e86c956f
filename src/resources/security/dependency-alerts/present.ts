import { type NamedRepository, path, repositoryUrl } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional, getOrThrow, unique } from '#lib/collections.ts';
import { type Id, nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { loadAccounts, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import { loadAlertAssignees } from '#resources/repositories/collaborators/index.ts';
import { type AdvisoryRow, loadAdvisories, loadVulnerabilities, type VulnerabilityRow } from './advisory-store.ts';
import type { AdvisoryVulnerability, DependencyAdvisory, DependencyAlert, VulnerabilityAlertInPayload } from './schemas.ts';
import type { AlertRow } from './store.ts';
import { rangeText } from './versions.ts';

type Range = { ecosystem: string; package: string; vulnerable_version_range: string; first_patched_version: string | null };

const presentRange = (severity: AdvisoryRow['severity'], range: Range): AdvisoryVulnerability => ({
  package: { ecosystem: range.ecosystem, name: range.package },
  severity,
  vulnerable_version_range: range.vulnerable_version_range,
  first_patched_version: range.first_patched_version === null ? null : { identifier: range.first_patched_version },
});

type Scored = Pick<AdvisoryRow, 'identifier' | 'cve' | 'cwes' | 'cvss_v3' | 'cvss_v3_score' | 'cvss_v4' | 'cvss_v4_score'>;

/** The identifiers and the scores of an advisory. */
export const presentScores = ({ identifier, cve, cwes, cvss_v3, cvss_v3_score, cvss_v4, cvss_v4_score }: Scored) => ({
  advisory_id: identifier,
  cve_id: cve,
  cvss: { vector_string: cvss_v3 ?? cvss_v4, score: cvss_v3_score ?? cvss_v4_score },
  cvss_severities: {
    cvss_v3: { vector_string: cvss_v3, score: cvss_v3_score },
    cvss_v4: { vector_string: cvss_v4, score: cvss_v4_score },
  },
  // The names of weaknesses are in a separate catalogue, which advisories don't include.
  cwes: cwes.map((id) => ({ cwe_id: id, name: id })),
  identifiers: [
    { type: 'ADVISORY' as const, value: identifier },
    ...(cve === null ? [] : [{ type: 'CVE' as const, value: cve }]),
  ],
});

/** An advisory in alerts. */
function presentAdvisory(row: AdvisoryRow, vulnerabilities: readonly VulnerabilityRow[]): DependencyAdvisory {
  const { severity } = row;
  const scores = presentScores(row);
  return {
    summary: row.summary,
    description: row.description,
    vulnerabilities: vulnerabilities.map((one) =>
      presentRange(severity, { ...one, vulnerable_version_range: rangeText(one), first_patched_version: one.fixed }),
    ),
    severity,
    classification: row.classification,
    ...scores,
    cvss: { ...scores.cvss, score: scores.cvss.score ?? 0 },
    references: row.urls.map((url) => ({ url })),
    published_at: timestamp(row.published_at),
    updated_at: timestamp(row.updated_at),
    withdrawn_at: timestampOrNull(row.withdrawn_at),
  };
}

/** Presents a page of alerts. `repositoryOf` returns the repository of each. */
export async function presentAlerts(
  scope: Scope,
  rows: readonly AlertRow[],
  repositoryOf: (row: AlertRow) => NamedRepository,
): Promise<DependencyAlert[]> {
  const { db, links } = scope;
  const ids: Id<'advisories'>[] = gather(rows, 'advisory_id');
  const [assignees, advisories, vulnerabilities] = await Promise.all([
    loadAlertAssignees(db, 'dependency_alert_assignees', gather(rows, 'id')),
    loadAdvisories(db, ids),
    loadVulnerabilities(db, ids),
  ]);
  const accounts = await loadAccounts(db, unique([...gather(rows, 'dismissed_by'), ...[...assignees.values()].flat()]));
  return rows.map((row) => {
    const advisory = getOrThrow(advisories, row.advisory_id);
    const repo = repositoryOf(row);
    return {
      number: row.number,
      state: row.state,
      dependency: {
        package: { ecosystem: row.ecosystem, name: row.package },
        manifest_path: row.manifest_path,
        scope: row.scope as DependencyAlert['dependency']['scope'], // the graph stores only these values
        relationship: row.relationship as DependencyAlert['dependency']['relationship'],
      },
      security_advisory: presentAdvisory(advisory, vulnerabilities.get(advisory.id) ?? []),
      security_vulnerability: presentRange(advisory.severity, row),
      url: path(`${repositoryUrl(links, repo)}/dependency-bot/alerts`, row.number),
      html_url: path(`${path(links.html, repo.owner.login, repo.name)}/security/dependency-alerts`, row.number),
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      dismissed_at: timestampOrNull(row.dismissed_at),
      dismissed_by: presentUserOrNull(links, getOptional(accounts, row.dismissed_by)),
      dismissed_reason: row.dismissed_reason as DependencyAlert['dismissed_reason'],
      dismissed_comment: row.dismissed_comment,
      fixed_at: timestampOrNull(row.fixed_at),
      auto_dismissed_at: timestampOrNull(row.auto_dismissed_at),
      assignees: (assignees.get(row.id) ?? []).flatMap((id) => presentUserOrNull(links, accounts.get(id)) ?? []),
    };
  });
}

export const presentAlert = async (scope: Scope, row: AlertRow, repo: NamedRepository): Promise<DependencyAlert> =>
  firstOrNotFound(await presentAlerts(scope, [row], () => repo));

/** An alert as the older webhook event shows it. */
export function presentVulnerabilityAlert(id: AlertRow['id'], alert: DependencyAlert): VulnerabilityAlertInPayload {
  const { security_advisory: advisory, security_vulnerability: range, dismissed_at, dismissed_reason, fixed_at } = alert;
  const fixedIn = range.first_patched_version?.identifier;
  return {
    id,
    node_id: nodeId('RepositoryVulnerabilityAlert', id),
    number: alert.number,
    state: alert.state === 'auto_dismissed' ? 'dismissed' : alert.state,
    severity: range.severity,
    affected_package_name: range.package.name,
    affected_range: range.vulnerable_version_range,
    ...(fixedIn === undefined ? {} : { fixed_in: fixedIn }),
    advisory_id: advisory.advisory_id,
    external_identifier: advisory.cve_id ?? advisory.advisory_id,
    external_reference: advisory.references[0]?.url ?? null,
    created_at: alert.created_at,
    ...(dismissed_at === null || dismissed_reason === null
      ? {}
      : {
          dismisser: alert.dismissed_by,
          dismiss_reason: dismissed_reason,
          dismiss_comment: alert.dismissed_comment,
          dismissed_at,
        }),
    ...(fixed_at === null ? {} : { fixed_at }),
  };
}
