import { type NamedRepository, path, repositoryUrl } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional, getOrThrow, keyed, oncePerObject } from '#lib/collections.ts';
import { type Id, nodeId } from '#lib/id.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp, timestampOrNull } from '#lib/time.ts';
import { loadFieldValues, presentFieldValue } from '#resources/collaboration/issue-fields/index.ts';
import { milestoneRows, presentMilestone } from '#resources/collaboration/milestones/index.ts';
import { presentRollup } from '#resources/collaboration/reactions/index.ts';
import { loadAccountsOnce, presentUser, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import { loadApps, presentAppOrNull } from '#resources/repositories/apps/index.ts';
import { type LabelRow, presentLabel } from '#resources/repositories/labels/index.ts';
import { namedRepositories, presentRepositories, type RepositoryWithOwner } from '#resources/repositories/repositories/index.ts';
import { pageOf } from './addresses.ts';
import type { CommentRow } from './comments/store.ts';
import { relationsPresenter } from './related.ts';
import type { Issue, IssueComment } from './schemas.ts';
import { attachedToIssues, attachedToOwnIssues, type IssueRow, issueNumbers, loadAssociations } from './store.ts';
import { presentTexts } from './texts/texts.ts';

const authoredIn = (rows: readonly Pick<IssueRow | CommentRow, 'repository_id' | 'author_id'>[]) =>
  rows.flatMap(({ repository_id, author_id }) => (author_id === null ? [] : [{ repository: repository_id, author: author_id }]));

/** The bodies of rows, with their repositories. */
const bodiesOf = <Body>(
  rows: readonly { repository_id: Id<'repositories'>; body: Body }[],
  repositories: ReadonlyMap<Id<'repositories'>, NamedRepository>,
) =>
  rows.map(({ repository_id, body }) => {
    const { owner, name } = getOrThrow(repositories, repository_id);
    return { text: body, repository: { owner: owner.login, repo: name } };
  });

type IssuesOptions = {
  /** Adds each issue's repository, for lists over many repositories. */
  withRepository?: true;
};

/** Whether a user opened an issue in a repository of their own, as far as the scope knows. */
function isOwn({ load }: Scope, { repository_id, author_id }: IssueRow): boolean {
  const repository = load.loaded(namedRepositories, repository_id);
  return repository?.owner.kind === 'user' && repository.owner_id === author_id;
}

/** Issues of a whole page, from any repositories. Related rows are loaded once for all of them. */
export async function presentIssues(scope: Scope, rows: readonly IssueRow[], options: IssuesOptions = {}): Promise<Issue[]> {
  if (rows.length === 0) return [];
  const { db, links, viewer, load } = scope;
  const [attached, milestones, repositories, apps] = await Promise.all([
    load.all(rows.every((row) => isOwn(scope, row)) ? attachedToOwnIssues : attachedToIssues, gather(rows, 'id')),
    load.all(
      milestoneRows,
      gather(rows, 'milestone_id').flatMap((id) => id ?? []),
    ),
    load.all(namedRepositories, gather(rows, 'repository_id')),
    loadApps(db, gather(rows, 'via_app_id')),
  ]);
  const withValues = [...attached].flatMap(([id, { hasFieldValues }]) => (hasFieldValues ? [id] : []));
  const people = [
    ...gather(rows, 'author_id', 'closed_by'),
    ...[...attached.values()].flatMap(({ assignees }) => assignees),
    ...gather(milestones.values(), 'creator_id'),
  ];
  const [accounts, associationOf, values, relationsOf] = await Promise.all([
    loadAccountsOnce(scope, people),
    loadAssociations(scope, authoredIn(rows)),
    loadFieldValues(db, viewer, withValues),
    relationsPresenter(scope, rows, (issue) => getOrThrow(attached, issue).related, repositories),
  ]);
  const presentedRepositories = options.withRepository
    ? keyed(await presentRepositories(scope, [...repositories.values()]), ({ id }) => id as number)
    : undefined;

  const texts = await presentTexts(scope, bodiesOf(rows, repositories));
  // Most issues of a page belong to a few repositories, and share their labels.
  const labelOf = oncePerObject((label: LabelRow) => presentLabel(links, getOrThrow(repositories, label.repository_id), label));
  const htmlUrlOf = oncePerObject(({ owner, name }: RepositoryWithOwner) => path(links.html, owner.login, name));

  return rows.map((row, at) => {
    const repository = getOrThrow(repositories, row.repository_id);
    const repository_url = repositoryUrl(links, repository);
    const url = `${repository_url}/issues/${row.number}`;
    const html_url = `${htmlUrlOf(repository)}/${pageOf(row)}/${row.number}`;
    const { labels, assignees } = getOrThrow(attached, row.id);
    const assigned = assignees.flatMap((id) => accounts.get(id) ?? []).map((account) => presentUser(links, account));
    const milestone = getOptional(milestones, row.milestone_id);
    const presentedRepository = presentedRepositories?.get(row.repository_id);
    return {
      id: row.id,
      node_id: nodeId('Issue', row.id),
      url,
      repository_url,
      labels_url: `${url}/labels{/name}`,
      comments_url: `${url}/comments`,
      events_url: `${url}/events`,
      html_url,
      timeline_url: `${url}/timeline`,
      number: row.number,
      state: row.state,
      state_reason: row.state_reason,
      ...(row.is_pull_request
        ? { draft: row.is_draft, pull_request: pullLinks(`${repository_url}/pulls/${row.number}`, html_url, row) }
        : {}),
      title: row.title,
      ...texts[at],
      user: presentUserOrNull(links, getOptional(accounts, row.author_id)),
      labels: labels.map(labelOf),
      assignee: assigned[0] ?? null,
      assignees: assigned,
      milestone: milestone ? presentMilestone(links, repository, milestone, getOptional(accounts, milestone.creator_id)) : null,
      locked: row.locked,
      active_lock_reason: row.lock_reason,
      comments: row.comments_count,
      closed_at: timestampOrNull(row.closed_at),
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      closed_by: presentUserOrNull(links, getOptional(accounts, row.closed_by)),
      author_association: associationOf(row),
      performed_via_service_app: presentAppOrNull(links, row.via_app_id, apps),
      reactions: presentRollup(url, row.reactions),
      issue_field_values: (values.get(row.id) ?? []).map(presentFieldValue),
      ...relationsOf(row),
      ...(presentedRepository ? { repository: presentedRepository } : {}),
    };
  });
}

/** The addresses of a pull request in its issue. */
const pullLinks = (url: string, html_url: string, { merged_at }: IssueRow) => ({
  url,
  html_url,
  diff_url: `${html_url}.diff`,
  patch_url: `${html_url}.patch`,
  merged_at: timestampOrNull(merged_at),
});

export const presentIssue = async (scope: Scope, row: IssueRow): Promise<Issue> =>
  firstOrNotFound(await presentIssues(scope, [row]));

/** Comments of a whole page, from any issues of any repositories. */
export async function presentComments(scope: Scope, rows: readonly CommentRow[]): Promise<IssueComment[]> {
  if (rows.length === 0) return [];
  const { db, links, load } = scope;
  const [apps, repositories, issues, accounts, associationOf] = await Promise.all([
    loadApps(db, gather(rows, 'via_app_id')),
    load.all(namedRepositories, gather(rows, 'repository_id')),
    load.all(issueNumbers, gather(rows, 'issue_id')),
    loadAccountsOnce(scope, gather(rows, 'author_id')),
    loadAssociations(scope, authoredIn(rows)),
  ]);
  const texts = await presentTexts(scope, bodiesOf(rows, repositories));
  return rows.map((row, at) => {
    const repository = getOrThrow(repositories, row.repository_id);
    const commented = getOrThrow(issues, row.issue_id);
    const { number } = commented;
    const repository_url = repositoryUrl(links, repository);
    const url = path(`${repository_url}/issues/comments`, row.id);
    return {
      id: row.id,
      node_id: nodeId('IssueComment', row.id),
      url,
      html_url: `${path(links.html, repository.owner.login, repository.name, pageOf(commented), number)}#issuecomment-${row.id}`,
      issue_url: path(`${repository_url}/issues`, number),
      ...texts[at],
      user: presentUserOrNull(links, getOptional(accounts, row.author_id)),
      created_at: timestamp(row.created_at),
      updated_at: timestamp(row.updated_at),
      author_association: associationOf(row),
      performed_via_service_app: presentAppOrNull(links, row.via_app_id, apps),
      reactions: presentRollup(url, row.reactions),
    };
  });
}

export const presentComment = async (scope: Scope, row: CommentRow): Promise<IssueComment> =>
  firstOrNotFound(await presentComments(scope, [row]));
