import { type Links, type NamedRepository, path, repositoryUrl } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional, unique } from '#lib/collections.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import { loadAccounts, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import { loadAlertAssignees } from '#resources/repositories/collaborators/index.ts';
import type { InstanceRow } from './instance-store.ts';
import type {
  CodeScanningAlert,
  CodeScanningAlertItem,
  CodeScanningAnalysis,
  CodeScanningInstance,
  SarifStatus,
} from './schemas.ts';
import type { AlertRow } from './store.ts';
import type { AnalysisRow, UploadRow } from './upload-store.ts';

const timeOrNull = (time: Date | null) => (time === null ? null : timestamp(time));

/** The public API's values for analyses that don't come from its own workflows. */
const analysis = { analysis_key: '(default)', environment: '{}' } as const;

const classes = [
  ['test', /(?:^|\/)(?:tests?|specs?|__tests__|testdata)\/|[._-](?:test|spec)\.[a-z]+$/i],
  ['library', /(?:^|\/)(?:node_modules|vendor|third[-_]party|bower_components)\//i],
  ['generated', /(?:^|\/)generated\/|\.(?:min\.js|pb\.go|g\.dart|designer\.cs)$/i],
] as const;

/** The classification of a file by its path; none for code of the application itself. */
export const classificationsOf = (file: string): CodeScanningInstance['classifications'] =>
  classes.flatMap(([name, pattern]) => (pattern.test(file) ? [name] : []));

type InstanceLocation = Pick<
  InstanceRow,
  'ref' | 'category' | 'is_open' | 'commit_sha' | 'path' | 'start_line' | 'end_line' | 'start_column' | 'end_column' | 'message'
>;

export const presentInstance = (row: InstanceLocation): CodeScanningInstance => ({
  ref: row.ref,
  ...analysis,
  category: row.category,
  state: row.is_open ? 'open' : 'fixed',
  commit_sha: row.commit_sha,
  message: { text: row.message },
  location: {
    path: row.path,
    start_line: row.start_line,
    end_line: row.end_line,
    start_column: row.start_column,
    end_column: row.end_column,
  },
  classifications: classificationsOf(row.path),
});

const stateOf = ({ dismissed_at, is_open }: AlertRow): CodeScanningAlert['state'] => {
  if (dismissed_at !== null) return 'dismissed';
  return is_open ? 'open' : 'fixed';
};

/** The addresses of an alert. */
const alertUrls = (links: Links, repo: NamedRepository, number: number) => {
  const url = path(`${repositoryUrl(links, repo)}/code-scanning/alerts`, number);
  const html_url = path(`${path(links.html, repo.owner.login, repo.name)}/security/code-scanning`, number);
  return { url, html_url, instances_url: `${url}/instances` };
};

/** Presents a page of alerts. `repositoryOf` returns the repository of each. */
export async function presentAlerts(
  { db, links }: Scope,
  rows: readonly AlertRow[],
  repositoryOf: (row: AlertRow) => NamedRepository,
): Promise<CodeScanningAlertItem[]> {
  const assignees = await loadAlertAssignees(db, 'code_scanning_assignees', gather(rows, 'id'));
  const accounts = await loadAccounts(db, unique([...gather(rows, 'dismissed_by'), ...[...assignees.values()].flat()]));
  return rows.map((row) => {
    const state = stateOf(row);
    return {
      number: row.number,
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      ...alertUrls(links, repositoryOf(row), row.number),
      state,
      fixed_at: state === 'fixed' ? timeOrNull(row.fixed_at) : null,
      dismissed_by: presentUserOrNull(links, getOptional(accounts, row.dismissed_by)),
      dismissed_at: timeOrNull(row.dismissed_at),
      dismissed_reason: row.dismissed_reason as CodeScanningAlert['dismissed_reason'], // requests can only set these
      dismissed_comment: row.dismissed_comment,
      rule: {
        id: row.identifier,
        name: row.rule_name,
        severity: row.severity,
        security_severity_level: row.security_severity_level,
        description: row.description,
        full_description: row.full_description,
        tags: row.tags,
        help_uri: row.help_uri,
      },
      tool: { name: row.tool_name, version: row.tool_version, guid: row.tool_guid },
      most_recent_instance: presentInstance(row),
      assignees: (assignees.get(row.id) ?? []).flatMap((id) => presentUserOrNull(links, accounts.get(id)) ?? []),
    };
  });
}

/** One alert of a repository, with the help of its rule. */
export async function presentAlert(scope: Scope, row: AlertRow, repo: NamedRepository): Promise<CodeScanningAlert> {
  const { rule, ...shown } = firstOrNotFound(await presentAlerts(scope, [row], () => repo));
  return { ...shown, rule: { ...rule, help: row.help } };
}

const analysisUrl = (links: Links, repo: NamedRepository, id: number): string =>
  path(`${repositoryUrl(links, repo)}/code-scanning/analyses`, id);

export const presentAnalysis = (links: Links, repo: NamedRepository, row: AnalysisRow): CodeScanningAnalysis => ({
  ref: row.ref,
  commit_sha: row.commit_sha,
  ...analysis,
  category: row.category,
  error: '',
  created_at: timestamp(row.created_at),
  results_count: row.results_count,
  rules_count: row.rules_count,
  id: row.id,
  url: analysisUrl(links, repo, row.id),
  sarif_id: row.sarif_id,
  tool: { name: row.tool_name, version: row.tool_version, guid: row.tool_guid },
  deletable: row.is_last,
  warning: row.warning,
});

/** The addresses for deleting the analyses before a deleted one. The first address keeps the last of them. */
export const presentDeletion = (links: Links, repo: NamedRepository, next: number | undefined) => {
  const url = next === undefined ? null : analysisUrl(links, repo, next);
  return { next_analysis_url: url, confirm_delete_url: url && `${url}?confirm_delete=true` };
};

export const sarifUrl = (links: Links, repo: NamedRepository, { sarif_id }: Pick<UploadRow, 'sarif_id'>): string =>
  path(`${repositoryUrl(links, repo)}/code-scanning/sarifs`, sarif_id);

export const presentStatus = (links: Links, repo: NamedRepository, { sarif_id, state, errors }: UploadRow): SarifStatus => ({
  processing_status: state,
  analyses_url:
    state === 'complete' ? `${repositoryUrl(links, repo)}/code-scanning/analyses?sarif_id=${encodeURIComponent(sarif_id)}` : null,
  ...(state === 'failed' ? { errors } : {}),
});
