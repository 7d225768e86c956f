import { everybody } from '#access/viewer.ts';
// The JSON files of an archive.
import { path } from '#endpoint/links.ts';
import { gather, getOptional, getOrThrow, grouped, unique } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import { loadBlocking, loadSubIssues } from '#resources/collaboration/issue-relations/index.ts';
import {
  type EventKey,
  firstEvent,
  type IssueRow,
  listCommentsAfter,
  listIssueEventsAfter,
  listIssuesAfter,
  loadAttached,
  loadIssues,
} from '#resources/collaboration/issues/index.ts';
import { listMilestonesAfter, loadMilestones } from '#resources/collaboration/milestones/index.ts';
import { listPullsAfter, loadPullCommits, loadRequests } from '#resources/collaboration/pulls/index.ts';
import { loadReactions } from '#resources/collaboration/reactions/index.ts';
import { loadAccounts, loadEmails } from '#resources/identity/accounts/index.ts';
import { listTeamsAfter, loadTeamMembers, loadTeamRoles, loadTeams } from '#resources/identity/teams/index.ts';
import { type LabelRow, listLabelsAfter } from '#resources/repositories/labels/index.ts';
import { loadNamedRepositories } from '#resources/repositories/repositories/index.ts';
import { type Kind, pageSize } from './format.ts';
import { organizationRecords } from './organizations.ts';
import { batchesOf, openPages } from './pages.ts';
import { protectedBranchesOf, rulesetsOf } from './protection.ts';
import {
  type ArchivedRepository,
  addressOf,
  commentRecord,
  eventRecord,
  type IssueParts,
  issueRecord,
  milestoneRecord,
  pullRecord,
  type Related,
  repositoryRecord,
  teamRecord,
  userRecord,
} from './records.ts';
import { type NamedFiles, releasesOf } from './releases.ts';
import { commitCommentsOf, reviewCommentsOf, reviewsOf } from './reviews.ts';
import { loadOwnTeams, type People, peopleOf, type Source } from './source.ts';
import type { TarWriter } from './tar-writer.ts';

/** Whether Git data and releases are in the archive, too. */
type Wanted = { git: boolean; releases: boolean };

/** Writes what is known of repositories, and of all accounts that this names. Returns the files that it tells of. */
export async function addMetadata(
  tar: TarWriter,
  source: Source,
  allArchived: readonly ArchivedRepository[],
  wanted: Wanted,
): Promise<NamedFiles[]> {
  const people = peopleOf(source);
  for (const { owner } of allArchived) if (owner.kind !== 'organization') people.ids.add(owner.id);
  const owners = new Set(allArchived.filter(({ owner }) => owner.kind === 'organization').map(({ owner }) => owner.id));
  await addOrganizations(tar, source, [...owners], people);
  await addTeams(tar, source, allArchived, people);
  await addEach(tar, 'repositories', allArchived, (archived) => repositoriesOf(source, archived, wanted.git));
  await addEach(tar, 'milestones', allArchived, (archived) => milestonesOf(source, archived, people));
  await addEach(tar, 'issues', allArchived, (archived) => issuesOf(source, archived, people, allArchived));
  await addEach(tar, 'pull_requests', allArchived, (archived) => pullsOf(source, archived, people, allArchived));
  await addEach(tar, 'issue_comments', allArchived, (archived) => commentsOf(source, archived, people));
  await addEach(tar, 'issue_events', allArchived, (archived) => eventsOf(source, archived, people));
  await addEach(tar, 'pull_request_reviews', allArchived, (archived) => reviewsOf(source, archived, people));
  await addEach(tar, 'review_comments', allArchived, (archived) => reviewCommentsOf(source, archived, people));
  await addEach(tar, 'commit_comments', allArchived, (archived) => commitCommentsOf(source, archived, people));
  await addEach(tar, 'protected_branches', allArchived, (archived) => protectedBranchesOf(source, archived, people));
  await addEach(tar, 'rulesets', allArchived, (archived) => rulesetsOf(source, archived, people));
  const files: NamedFiles[] = [];
  if (wanted.releases) await addEach(tar, 'releases', allArchived, (archived) => releasesOf(source, archived, people, files));
  await addUsers(tar, source, people);
  return files;
}

/** Writes what is known of organizations, and of the people in them. */
export async function addOrganizationMetadata(
  tar: TarWriter,
  source: Source,
  organizations: readonly Id<'accounts'>[],
): Promise<void> {
  const people = peopleOf(source);
  await addOrganizations(tar, source, organizations, people);
  await addTeams(tar, source, [], people);
  await addUsers(tar, source, people);
}

/** Writes the objects of one kind of all repositories. */
async function addEach(
  tar: TarWriter,
  kind: Kind,
  allArchived: readonly ArchivedRepository[],
  objectsOf: (archived: ArchivedRepository) => AsyncIterable<readonly object[]>,
): Promise<void> {
  const pages = openPages(tar, kind);
  for (const archived of allArchived) for await (const objects of objectsOf(archived)) await pages.add(objects);
  await pages.finish();
}

async function addOrganizations(
  tar: TarWriter,
  { db, html, account }: Source,
  ids: readonly Id<'accounts'>[],
  people: People,
): Promise<void> {
  const pages = openPages(tar, 'organizations');
  for (const id of ids) {
    const { record, members } = await organizationRecords(db, html, account, id);
    for (const member of members) people.ids.add(member);
    await pages.add([record]);
  }
  await pages.finish();
}

/** Teams of so many are read at once, each with all its people. */
const teamsPerPage = 50;

/** Writes the teams of an organization into its own archive, with the roles that they have in these repositories. */
async function addTeams(
  tar: TarWriter,
  source: Source,
  allArchived: readonly ArchivedRepository[],
  people: People,
): Promise<void> {
  const { db, html, account } = source;
  if (account.kind !== 'organization') return;
  const pages = openPages(tar, 'teams');
  const urls = urlsOf(allArchived);
  const list = (after: Id<'teams'>, limit: number) => listTeamsAfter(db, account.id, after, limit);
  for await (const rows of batchesOf(asId<'teams'>(0), list, ({ id }) => id, teamsPerPage)) {
    const ids = gather(rows, 'id');
    const members = await loadTeamMembers(db, ids);
    const roles = await loadTeamRoles(db, ids, [...urls.keys()]);
    const parts = {
      parents: await loadTeams(db, gather(rows, 'parent_id')),
      membersOf: grouped(members, ({ team_id }) => team_id),
      accounts: await people.load(gather(members, 'user_id')),
      rolesOf: grouped(roles, ({ team_id }) => team_id),
      urls,
    };
    await pages.add(rows.map((row) => teamRecord(html, account, row, parts)));
  }
  await pages.finish();
}

async function addUsers(tar: TarWriter, { db, html, account: own }: Source, { ids }: People): Promise<void> {
  const pages = openPages(tar, 'users');
  const all = [...ids].sort((a, b) => a - b);
  const emails = await loadEmails(db, own.id);
  for (let at = 0; at < all.length; at += pageSize) {
    const accounts = await loadAccounts(db, all.slice(at, at + pageSize));
    const inOrder = [...accounts.values()].sort((a, b) => a.id - b.id);
    await pages.add(inOrder.map((account) => userRecord(html, account, emails)));
  }
  await pages.finish();
}

async function* repositoriesOf(
  { db, html }: Source,
  archived: ArchivedRepository,
  hasGit: boolean,
): AsyncGenerator<readonly object[]> {
  const labels: LabelRow[] = [];
  const list = (after: Id<'labels'>, limit: number) => listLabelsAfter(db, archived.row.id, after, limit);
  for await (const rows of batchesOf(asId<'labels'>(0), list, ({ id }) => id)) labels.push(...rows);
  yield [repositoryRecord(html, archived, { labels, hasGit })];
}

async function* milestonesOf(
  { db, html }: Source,
  archived: ArchivedRepository,
  people: People,
): AsyncGenerator<readonly object[]> {
  const list = (after: number, limit: number) => listMilestonesAfter(db, archived.row.id, after, limit);
  for await (const rows of batchesOf(0, list, ({ number }) => number)) {
    const accounts = await people.load(gather(rows, 'creator_id'));
    yield rows.map((row) => milestoneRecord(html, archived, row, accounts));
  }
}

const urlsOf = (allArchived: readonly ArchivedRepository[]): Map<Id<'repositories'>, string> =>
  new Map(allArchived.map(({ row, url }) => [row.id, url]));

async function* issuesOf(
  source: Source,
  archived: ArchivedRepository,
  people: People,
  allArchived: readonly ArchivedRepository[],
): AsyncGenerator<readonly object[]> {
  const { db, html } = source;
  const urls = urlsOf(allArchived);
  const list = (after: number, limit: number) => listIssuesAfter(db, archived.row.id, after, limit);
  for await (const rows of batchesOf(0, list, ({ number }) => number)) {
    const partsOf = await loadParts(source, rows, people);
    const relatedOf = await loadRelated(source, rows);
    yield rows.map((row) => issueRecord(html, archived, row, { ...partsOf(row), related: relatedOf(row), urls }));
  }
}

/** The other issues that issues name. */
async function loadRelated({ db }: Source, rows: readonly IssueRow[]): Promise<(row: IssueRow) => Related> {
  const ids = gather(rows, 'id');
  const subIssues = grouped(await loadSubIssues(db, ids), (related) => related.of);
  const blocking = grouped(await loadBlocking(db, ids), (related) => related.of);
  const originals = await loadIssues(db, unique(gather(rows, 'duplicate_of_id')));
  return ({ id, duplicate_of_id }) => ({
    duplicateOf: getOptional(originals, duplicate_of_id),
    subIssues: subIssues.get(id) ?? [],
    blockedBy: blocking.get(id) ?? [],
  });
}

/** Each has up to some hundred commits. */
const pullsPerPage = 50;

async function* pullsOf(
  source: Source,
  archived: ArchivedRepository,
  people: People,
  allArchived: readonly ArchivedRepository[],
): AsyncGenerator<readonly object[]> {
  const { db, html } = source;
  const urls = urlsOf(allArchived);
  const list = (after: number, limit: number) => listPullsAfter(db, archived.row.id, after, limit);
  for await (const rows of batchesOf(0, list, ({ number }) => number, pullsPerPage)) {
    const heads = await loadNamedRepositories(db, unique(gather(rows, 'head_repository_id')));
    // Who has the archive needn't know of private repositories of others.
    for (const { id, owner, name, visibility } of heads.values())
      if (visibility === 'public' && !urls.has(id)) urls.set(id, path(addressOf(html, owner), name));
    const commits = grouped(await loadPullCommits(db, gather(rows, 'id')), ({ issue_id }) => issue_id);
    const requests = await loadRequests(db, everybody, gather(rows, 'id'));
    const others = [...gather(rows, 'head_owner_id', 'merged_by'), ...gather(requests, 'user_id')];
    const partsOf = await loadParts(source, rows, people, others);
    const teams = await loadOwnTeams(source, archived, gather(requests, 'team_id'));
    const requestsOf = grouped(requests, ({ issue_id }) => issue_id);
    yield rows.map((row) =>
      pullRecord(html, archived, row, {
        ...partsOf(row),
        headUrl: getOptional(urls, row.head_repository_id) ?? null,
        commits: commits.get(row.id) ?? [],
        requests: requestsOf.get(row.id) ?? [],
        teams,
      }),
    );
  }
}

/** What belongs to issues or pull requests beside their rows. `others` are further people of them. */
async function loadParts(
  { db }: Source,
  rows: readonly IssueRow[],
  people: People,
  others: readonly (Id<'accounts'> | null)[] = [],
): Promise<(row: IssueRow) => IssueParts> {
  const ids = gather(rows, 'id');
  const attached = await loadAttached(db, ids);
  const milestones = await loadMilestones(db, gather(rows, 'milestone_id'));
  const reactions = await loadReactions(db, 'issue_id', ids);
  const accounts = await people.load([
    ...gather(rows, 'author_id', 'closed_by'),
    ...[...attached.values()].flatMap(({ assignees }) => assignees),
    ...gather(reactions, 'user_id'),
    ...others,
  ]);
  const reactionsOf = grouped(reactions, ({ issue_id }) => issue_id);
  return (row) => ({
    ...getOrThrow(attached, row.id),
    milestone: getOptional(milestones, row.milestone_id)?.number,
    reactions: reactionsOf.get(row.id) ?? [],
    accounts,
  });
}

async function* commentsOf(
  { db, html }: Source,
  archived: ArchivedRepository,
  people: People,
): AsyncGenerator<readonly object[]> {
  const list = (after: Id<'issue_comments'>, limit: number) => listCommentsAfter(db, archived.row.id, after, limit);
  for await (const rows of batchesOf(asId<'issue_comments'>(0), list, ({ id }) => id)) {
    const reactions = await loadReactions(db, 'comment_id', gather(rows, 'id'));
    const accounts = await people.load([...gather(rows, 'author_id'), ...gather(reactions, 'user_id')]);
    const reactionsOf = grouped(reactions, ({ comment_id }) => comment_id);
    yield rows.map((row) => commentRecord(html, archived, row, { reactions: reactionsOf.get(row.id) ?? [], accounts }));
  }
}

async function* eventsOf(source: Source, archived: ArchivedRepository, people: People): AsyncGenerator<readonly object[]> {
  const { db, html } = source;
  const list = (after: EventKey, limit: number) => listIssueEventsAfter(db, archived.row.id, after, limit);
  for await (const rows of batchesOf(firstEvent, list, ({ key }) => key)) {
    const accounts = await people.load(rows.flatMap(({ actor_id, data }) => [actor_id, data.assignee, data.requested_reviewer]));
    const named = rows.map(({ data }) => data.requested_team);
    const teams = await loadOwnTeams(source, archived, named);
    yield rows.map((row) => eventRecord(html, archived, row, { accounts, teams }));
  }
}
