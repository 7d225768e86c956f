import { path, repositoryUrl } from '#endpoint/links.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional, getOrThrow, keyed, unique } from '#lib/collections.ts';
import { asId, type Id, nodeId } from '#lib/id.ts';
import { timestamp } from '#lib/time.ts';
import { loadAccountsOnce, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import { loadVisibleTeams, presentTeams, type Team } from '#resources/identity/teams/index.ts';
import { loadApps, presentAppOrNull } from '#resources/repositories/apps/index.ts';
import { namedRepositories, presentRepositories, simpleRepositoryOf } from '#resources/repositories/repositories/index.ts';
import { presentIssues } from '../present.ts';
import type { CrossReference, Issue, IssueEvent, IssueReference, TimelineEvent } from '../schemas.ts';
import { loadIssues } from '../store.ts';
import { relationFieldOf } from './event-kinds.ts';
import type { IssueEventRow } from './store.ts';

/** Omits the organization's id, which is stored only to decide who may see the event. */
const presentFieldChange = ({ organization_id: _, ...change }: NonNullable<IssueEventRow['data']['issue_field']>) => change;

/** Issue events of a whole page. `withIssue` adds each event's issue, for lists over many issues. */
export async function presentIssueEvents(
  scope: Scope,
  rows: readonly IssueEventRow[],
  options: { withIssue?: true } = {},
): Promise<IssueEvent[]> {
  const [present, issueOf] = await Promise.all([
    eventPresenter(scope, rows),
    options.withIssue ? loadPresented(scope, gather(rows, 'issue_id')) : undefined,
  ]);
  return rows.map((row) => {
    const { state_reason: _, ...event } = present(row);
    const issue = issueOf?.get(row.issue_id);
    return { ...event, ...('assignee' in event ? { assigner: event.actor } : {}), ...(issue ? { issue } : {}) };
  });
}

/**
 * Events of timelines, by their ids. The source issue of a cross-reference is shown with its repository. `withoutSources`: other
 * issues aren't loaded, for pages that know them already.
 */
export async function presentTimelineEvents(
  scope: Scope,
  rows: readonly IssueEventRow[],
  { withoutSources = false }: { withoutSources?: boolean } = {},
): Promise<Map<Id<'issue_events'>, TimelineEvent | CrossReference>> {
  if (withoutSources) {
    const present = await eventPresenter(scope, rows, { withoutSources });
    return new Map(rows.map((row) => [row.id, present(row)]));
  }
  const [present, sources] = await Promise.all([
    eventPresenter(scope, rows),
    loadPresented(
      scope,
      unique(
        gather(
          rows.filter(({ event }) => event === 'cross-referenced'),
          'source_issue_id',
        ),
      ),
      { withRepository: true },
    ),
  ]);
  const entries = rows.flatMap((row): [Id<'issue_events'>, TimelineEvent | CrossReference][] => {
    const event = present(row);
    if (row.event !== 'cross-referenced') return [[row.id, event]];
    const issue = getOptional(sources, row.source_issue_id);
    if (!issue) return [];
    const { actor, created_at } = event;
    return [[row.id, { event: row.event, actor, created_at, updated_at: created_at, source: { type: 'issue', issue } }]];
  });
  return new Map(entries);
}

/** Presented issues, by their ids. */
async function loadPresented(
  scope: Scope,
  ids: readonly Id<'issues'>[],
  options: { withRepository?: true } = {},
): Promise<Map<Id<'issues'>, Issue>> {
  const rows = [...(await loadIssues(scope.db, ids)).values()];
  const presented = await presentIssues(scope, rows, options);
  return new Map(rows.flatMap(({ id }, at) => (presented[at] ? [[id, presented[at]]] : [])));
}

/** The other issues in events of relations, by their ids. The query for the events has checked that the viewer may read them. */
async function loadOtherIssues(scope: Scope, rows: readonly IssueEventRow[]): Promise<Map<Id<'issues'>, IssueReference>> {
  const { db, load } = scope;
  const events = rows.filter(({ event }) => relationFieldOf(event) !== undefined);
  const issues = await loadIssues(db, unique(gather(events, 'source_issue_id')));
  if (issues.size === 0) return new Map();
  const repositories = await load.all(namedRepositories, gather(issues.values(), 'repository_id'));
  const presented = keyed(await presentRepositories(scope, [...repositories.values()]), ({ id }) => asId<'repositories'>(id));
  return new Map(
    [...issues.values()].map(({ id, repository_id, number, title, state, state_reason }) => {
      const repository = simpleRepositoryOf(getOrThrow(presented, repository_id));
      return [id, { number, title, state, state_reason, repository, issue_type: null }];
    }),
  );
}

/** The teams of events that the viewer may see. */
async function loadSeenTeams(scope: Scope, rows: readonly IssueEventRow[]): Promise<Map<number, Team>> {
  const { db, viewer } = scope;
  const ids = unique(rows.map(({ data }) => data.requested_team));
  const seen = await presentTeams(scope, await loadVisibleTeams(db, viewer, ids));
  return keyed(seen, ({ id }) => id);
}

/** Loads the data that events of a whole page show in addition to their rows. */
async function eventPresenter(
  scope: Scope,
  rows: readonly IssueEventRow[],
  { withoutSources = false }: { withoutSources?: boolean } = {},
): Promise<(row: IssueEventRow) => TimelineEvent> {
  const { db, links, load } = scope;
  const [repositories, accounts, apps, others, teams] = await Promise.all([
    load.all(
      namedRepositories,
      gather(rows, 'repository_id', 'source_repository_id').flatMap((id) => id ?? []),
    ),
    loadAccountsOnce(
      scope,
      rows.flatMap(({ actor_id, data }) => [actor_id, data.assignee, data.requested_reviewer]),
    ),
    loadApps(db, gather(rows, 'via_app_id')),
    withoutSources ? new Map<Id<'issues'>, IssueReference>() : loadOtherIssues(scope, rows),
    loadSeenTeams(scope, rows),
  ]);
  return (row) => {
    const actor = presentUserOrNull(links, getOptional(accounts, row.actor_id));
    const { assignee, issue_field, requested_reviewer, requested_team, ...data } = row.data;
    const team = getOptional(teams, requested_team);
    const isAboutReview = requested_reviewer !== undefined || requested_team !== undefined;
    const { repository_id, source_repository_id, commit_id } = row;
    const field = relationFieldOf(row.event);
    const other = getOptional(others, row.source_issue_id);
    const repository = repositoryUrl(links, getOrThrow(repositories, repository_id));
    const source = repositoryUrl(links, getOrThrow(repositories, source_repository_id ?? repository_id));
    return {
      id: row.id,
      node_id: nodeId('IssueEvent', row.id),
      url: path(`${repository}/issues/events`, row.id),
      actor,
      event: row.event,
      commit_id,
      commit_url: commit_id === null ? null : path(`${source}/commits`, commit_id),
      created_at: timestamp(row.created_at),
      performed_via_service_app: presentAppOrNull(links, row.via_app_id, apps),
      ...data,
      ...(issue_field ? { issue_field: presentFieldChange(issue_field) } : {}),
      ...(assignee === undefined ? {} : { assignee: presentUserOrNull(links, accounts.get(assignee)) }),
      ...(field && other ? { [field]: other } : {}),
      ...(isAboutReview ? { review_requester: actor } : {}),
      ...(requested_reviewer === undefined
        ? {}
        : { requested_reviewer: presentUserOrNull(links, accounts.get(requested_reviewer)) }),
      ...(team ? { requested_team: team } : {}),
    };
  };
}
