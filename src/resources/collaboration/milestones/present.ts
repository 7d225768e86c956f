import type { Account } from '#access/viewer.ts';
import { type Links, type NamedRepository, path, repositoryUrl } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional } from '#lib/collections.ts';
import { nodeId } from '#lib/id.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { loadAccounts, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import type { Milestone } from './schemas.ts';
import type { MilestoneRow } from './store.ts';

/** A milestone, with its already loaded creator. */
export function presentMilestone(
  links: Links,
  repo: NamedRepository,
  row: MilestoneRow,
  creator: Account | undefined,
): Milestone {
  const url = path(`${repositoryUrl(links, repo)}/milestones`, row.number);
  return {
    url,
    html_url: path(links.html, repo.owner.login, repo.name, 'milestone', row.number),
    labels_url: `${url}/labels`,
    id: row.id,
    node_id: nodeId('Milestone', row.id),
    number: row.number,
    state: row.state,
    title: row.title,
    description: row.description,
    creator: presentUserOrNull(links, creator),
    open_issues: row.open_issues,
    closed_issues: row.closed_issues,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    closed_at: timestampOrNull(row.closed_at),
    due_on: timestampOrNull(row.due_on),
  };
}

/** Milestones of a whole page, all of one repository. */
export async function presentMilestones(
  { db, links }: Scope,
  repo: NamedRepository,
  rows: readonly MilestoneRow[],
): Promise<Milestone[]> {
  const creators = await loadAccounts(db, gather(rows, 'creator_id'));
  return rows.map((row) => presentMilestone(links, repo, row, getOptional(creators, row.creator_id)));
}
