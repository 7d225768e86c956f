import type { Db } from '#database/connect.ts';
import type { NamedRepository } from '#endpoint/links.ts';
import { path } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { defined, gather, getOptional } from '#lib/collections.ts';
import type { Id } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import type { Secrets } from '#lib/secrets.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { commitLink, fileLinks, objectUrl, type RepositoryUrls, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { loadAccounts, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import { patternOf } from './detection/patterns.ts';
import { openSecret } from './rules.ts';
import type { ScanRow } from './scans/store.ts';
import type { AlertLocation, ScanHistory, SecretAlert, SecretAlertInPayload, TextType } from './schemas.ts';
import { type AlertRow, findAlert, type LocationRow, loadFirstLocations } from './store.ts';

type Named = NamedRepository & { id: Id<'repositories'> };

/** A location in a file. Its columns for texts are null, and its other columns aren't. */
type FileRow = { [Column in keyof LocationRow]: NonNullable<LocationRow[Column]> };

function presentFile(urls: RepositoryUrls, row: FileRow): AlertLocation {
  const { path: file, start_line, end_line, start_column, end_column, blob_sha, commit_sha } = row;
  const { html_url } = fileLinks(urls, commit_sha, file);
  const details = {
    path: file,
    start_line,
    end_line,
    start_column,
    end_column,
    blob_sha,
    blob_url: objectUrl(urls, blob_sha, 'blob'),
    commit_sha,
    commit_url: commitLink(urls, commit_sha).url,
    html_url: `${html_url}#L${start_line}-L${end_line}`,
  };
  return { type: 'commit', details };
}

/** The addresses of a text, below the addresses of its issue or pull request. */
function textUrls({ url }: RepositoryUrls, row: LocationRow, subject: { url: string; html_url: string }) {
  const { comment_id, review_id, review_comment_id } = row;
  if (comment_id !== null)
    return { url: `${url}/issues/comments/${comment_id}`, html_url: `${subject.html_url}#issuecomment-${comment_id}` };
  if (review_id !== null)
    return { url: `${subject.url}/reviews/${review_id}`, html_url: `${subject.html_url}#pullrequestreview-${review_id}` };
  if (review_comment_id !== null)
    return {
      url: `${url}/pulls/comments/${review_comment_id}`,
      html_url: `${subject.html_url}#discussion_r${review_comment_id}`,
    };
  return subject;
}

/** A location. An issue that was converted to a pull request also counts as one. */
export function presentLocation(urls: RepositoryUrls, row: LocationRow): AlertLocation {
  const { part, issue_number, is_pull_request } = row;
  if (part === null) return presentFile(urls, row as FileRow); // a check of the table guarantees it
  const words = is_pull_request
    ? { type: 'pull_request', api: 'pulls', page: 'pull' }
    : { type: 'issue', api: 'issues', page: 'issues' };
  const type = `${words.type}_${part}` as TextType; // only pull requests have reviews
  const subject = { url: `${urls.url}/${words.api}/${issue_number}`, html_url: `${urls.html}/${words.page}/${issue_number}` };
  const { url, html_url } = textUrls(urls, row, subject);
  return { type, details: { [`${type}_url`]: url, html_url } };
}

/** Alerts in payloads, without their secrets. `repositoryOf` returns the repository of each. */
export async function presentPayloadAlerts(
  { db, links }: Scope,
  rows: readonly AlertRow[],
  repositoryOf: (row: AlertRow) => Named,
): Promise<SecretAlertInPayload[]> {
  const people = rows.flatMap(({ resolved_by, bypassed_by, assignee_id }) => [resolved_by, bypassed_by, assignee_id]);
  const accounts = await loadAccounts(db, people);
  return rows.map((row) => {
    const urls = repositoryUrlsOf(links, repositoryOf(row));
    const url = path(`${urls.url}/secret-scanning/alerts`, row.number);
    const pattern = patternOf(row.secret_type);
    const person = (id: Id<'accounts'> | null) => presentUserOrNull(links, getOptional(accounts, id));
    return {
      number: row.number,
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      url,
      html_url: path(`${urls.html}/security/secret-scanning`, row.number),
      locations_url: `${url}/locations`,
      resolution: row.resolution,
      resolved_at: timestampOrNull(row.resolved_at),
      resolved_by: person(row.resolved_by),
      resolution_comment: row.resolution_comment,
      secret_type: row.secret_type,
      secret_type_display_name: pattern?.name ?? row.custom_pattern_name ?? row.secret_type,
      provider: pattern?.provider?.name ?? null,
      provider_slug: pattern?.provider?.slug ?? null,
      push_protection_bypassed: row.bypassed_at !== null,
      push_protection_bypassed_by: person(row.bypassed_by),
      push_protection_bypassed_at: timestampOrNull(row.bypassed_at),
      validity: row.validity,
      publicly_leaked: row.is_public,
      multi_repo: row.is_multi_repo,
      assigned_to: person(row.assignee_id),
    };
  });
}

type Shown = { readonly secrets: Secrets; readonly hideSecret: boolean };

/** Alerts of a whole page, with their secrets unless these must be hidden. */
export async function presentAlerts(
  scope: Scope,
  rows: readonly AlertRow[],
  repositoryOf: (row: AlertRow) => Named,
  { secrets, hideSecret }: Shown,
): Promise<SecretAlert[]> {
  const [shown, locations] = await Promise.all([
    presentPayloadAlerts(scope, rows, repositoryOf),
    loadFirstLocations(scope.db, gather(rows, 'id')),
  ]);
  return rows.map((row, at) => {
    const first = locations.get(row.id);
    const urls = repositoryUrlsOf(scope.links, repositoryOf(row));
    return {
      ...firstOrNotFound(shown.slice(at, at + 1)),
      state: row.state,
      ...(hideSecret ? {} : { secret: openSecret(secrets, row).toString('utf8') }),
      is_base64_encoded: false,
      ...defined({ first_location_detected: first && presentLocation(urls, first).details }),
      has_more_locations: row.locations_count > 1,
    };
  });
}

export const presentAlert = async (scope: Scope, row: AlertRow, repo: Named, shown: Shown): Promise<SecretAlert> =>
  firstOrNotFound(await presentAlerts(scope, [row], () => repo, shown));

/** The public API's terms for scans other than of every push. */
export const scanTypes = {
  backfill: 'backfill',
  pattern_update: 'pattern-version-backfill',
  custom_pattern: 'custom-pattern-backfill',
} as const;

/** The scanned data, in the terms of scans and of webhooks. A scan of texts covers issues and pull requests. */
export const scanSources = {
  git: { git: 'git' },
  texts: { issue: 'issues', 'pull-request': 'pull-requests' },
} as const;

/** A scan in the list, once for each kind of scanned data. */
const presentScan = ({ source, started_at, completed_at }: ScanRow) =>
  Object.keys(scanSources[source]).map((type) => ({
    type,
    status: completed_at === null ? 'running' : 'completed',
    started_at: timestamp(started_at),
    completed_at: timestampOrNull(completed_at),
  }));

export function presentHistory(rows: readonly ScanRow[]): ScanHistory {
  const of = (type: ScanRow['type']) => rows.filter((row) => row.type === type).flatMap(presentScan);
  return {
    incremental_scans: of('incremental'),
    pattern_update_scans: of('pattern_update'),
    backfill_scans: of('backfill'),
    custom_pattern_backfill_scans: rows.flatMap((row) => {
      const { type, pattern_name, pattern_scope } = row;
      if (type !== 'custom_pattern' || pattern_name === null || pattern_scope === null) return [];
      return presentScan(row).map((scan) => ({ ...scan, pattern_name, pattern_scope }));
    }),
  };
}

/** The display name of an alert's secret, and whether the alert is open. */
export async function findNamedAlert(
  db: Db,
  id: Id<'secret_alerts'>,
): Promise<{ name: string; state: AlertRow['state'] } | undefined> {
  const row = await findAlert(db, id);
  return row && { name: patternOf(row.secret_type)?.name ?? row.custom_pattern_name ?? row.secret_type, state: row.state };
}
