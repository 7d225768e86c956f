import type { ViewerContext } from '#endpoint/context.ts';
import { path, repositoryUrl } from '#endpoint/links.ts';
import { gather, getOptional, getOrThrow } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import { timestamp } from '#lib/time.ts';
import { loadAccounts, presentUserOrNull } from '#resources/accounts/index.ts';
import { loadApps, presentAppOrNull } from '#resources/apps/index.ts';
import { loadNamedRepositories } from '#resources/repositories/index.ts';
import type { IssueEventRow } from './event-store.ts';
import { presentIssues } from './present.ts';
import type { IssueEvent } from './schemas.ts';
import { loadIssues } from './store.ts';

/** Leaves the organization's id out, which is stored only to decide who may see the event. */
const presentFieldChange = ({ organization_id: _, ...change }: NonNullable<IssueEventRow['data']['issue_field']>) => change;

/** Issue events of a whole page. `withIssue` adds each event's issue, for lists over many issues. */
export async function presentIssueEvents(
  { db, links, viewer }: ViewerContext,
  rows: readonly IssueEventRow[],
  options: { withIssue?: true } = {},
): Promise<IssueEvent[]> {
  if (rows.length === 0) return [];
  const [repositories, accounts, apps, issues] = await Promise.all([
    loadNamedRepositories(db, gather(rows, 'repository_id')),
    loadAccounts(
      db,
      rows.flatMap((row) => [row.actor_id, row.data.assignee]),
    ),
    loadApps(db, gather(rows, 'via_app_id')),
    options.withIssue ? loadIssues(db, gather(rows, 'issue_id')) : undefined,
  ]);
  const issueRows = [...(issues?.values() ?? [])];
  const presented = await presentIssues({ db, links, viewer }, issueRows);
  const issueOf = new Map(issueRows.map((row, at) => [row.id, presented[at]]));

  return rows.map((row) => {
    const actor = presentUserOrNull(links, getOptional(accounts, row.actor_id));
    const { assignee, issue_field, ...data } = row.data;
    const issue = issueOf.get(row.issue_id);
    return {
      id: row.id,
      node_id: nodeId('IssueEvent', row.id),
      url: path(`${repositoryUrl(links, getOrThrow(repositories, row.repository_id))}/issues/events`, row.id),
      actor,
      event: row.event,
      commit_id: row.commit_id,
      commit_url: null,
      created_at: timestamp(row.created_at),
      performed_via_service_app: presentAppOrNull(links, row.via_app_id, apps),
      ...data,
      ...(issue_field ? { issue_field: presentFieldChange(issue_field) } : {}),
      ...(assignee === undefined ? {} : { assignee: presentUserOrNull(links, accounts.get(assignee)), assigner: actor }),
      ...(issue ? { issue } : {}),
    };
  });
}
