// The JSON files of an archive.
import type { Account } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { path } from '#endpoint/links.ts';
import { gather, getOptional, getOrThrow, grouped, unique } from '#lib/collections.ts';
import { asId, type Id } from '#lib/id.ts';
import { loadAccounts, loadEmails } from '#resources/accounts/index.ts';
import {
  type EventKey,
  firstEvent,
  type IssueRow,
  listCommentsAfter,
  listIssueEventsAfter,
  listIssuesAfter,
  loadAttached,
} from '#resources/issues/index.ts';
import { type LabelRow, listLabelsAfter } from '#resources/labels/index.ts';
import { listMilestonesAfter, loadMilestones } from '#resources/milestones/index.ts';
import { listPullsAfter } from '#resources/pulls/index.ts';
import { loadReactions } from '#resources/reactions/index.ts';
import { loadNamedRepositories } from '#resources/repositories/index.ts';
import { listTeamsAfter, loadTeamMembers, loadTeamRoles, loadTeams } from '#resources/teams/index.ts';
import { type Kind, pageSize } from './format.ts';
import { organizationRecords } from './organizations.ts';
import { batchesOf, openPages } from './pages.ts';
import {
  addressOf,
  commentRecord,
  eventRecord,
  type IssueParts,
  issueRecord,
  milestoneRecord,
  type Place,
  pullRecord,
  repositoryRecord,
  teamRecord,
  userRecord,
} from './records.ts';
import type { TarWriter } from './tar-writer.ts';

/** What the objects of an archive are made from. `db` shows one moment. */
export type Source = {
  db: Db;
  html: string;
  /** Whose archive it is. */
  account: Account;
};

/** Collects whom an archive names: each is an object of it, once. */
type People = {
  ids: Set<Id<'accounts'>>;
  load(ids: Iterable<Id<'accounts'> | null | undefined>): Promise<Map<Id<'accounts'>, Account>>;
};

function peopleOf({ db, account }: Source): People {
  const ids = new Set(account.kind === 'organization' ? [] : [account.id]);
  return {
    ids,
    async load(wanted) {
      const accounts = await loadAccounts(db, wanted);
      for (const [id, { kind }] of accounts) if (kind !== 'organization') ids.add(id);
      return accounts;
    },
  };
}

/** Writes what is known of repositories, and of all accounts that this names. */
export async function addMetadata(tar: TarWriter, source: Source, places: readonly Place[], hasGit: boolean): Promise<void> {
  const people = peopleOf(source);
  for (const { owner } of places) if (owner.kind !== 'organization') people.ids.add(owner.id);
  const owners = new Set(places.filter(({ owner }) => owner.kind === 'organization').map(({ owner }) => owner.id));
  await addOrganizations(tar, source, [...owners], people);
  await addTeams(tar, source, places, people);
  await addEach(tar, 'repositories', places, (place) => repositoriesOf(source, place, hasGit));
  await addEach(tar, 'milestones', places, (place) => milestonesOf(source, place, people));
  await addEach(tar, 'issues', places, (place) => issuesOf(source, place, people));
  await addEach(tar, 'pull_requests', places, (place) => pullsOf(source, place, people, places));
  await addEach(tar, 'issue_comments', places, (place) => commentsOf(source, place, people));
  await addEach(tar, 'issue_events', places, (place) => eventsOf(source, place, people));
  await addUsers(tar, source, people);
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
  places: readonly Place[],
  objectsOf: (place: Place) => AsyncIterable<readonly object[]>,
): Promise<void> {
  const pages = openPages(tar, kind);
  for (const place of places) for await (const objects of objectsOf(place)) await pages.add(objects);
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
const teamsAtOnce = 50;

/** Writes the teams of an organization into its own archive, with the roles that they have in these repositories. */
async function addTeams(tar: TarWriter, source: Source, places: readonly Place[], people: People): Promise<void> {
  const { db, html, account } = source;
  if (account.kind !== 'organization') return;
  const pages = openPages(tar, 'teams');
  const urls = new Map(places.map(({ row, url }) => [row.id, url]));
  const list = (after: Id<'teams'>, limit: number) => listTeamsAfter(db, account.id, after, limit);
  for await (const rows of batchesOf(asId<'teams'>(0), list, ({ id }) => id, teamsAtOnce)) {
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

async function* repositoriesOf({ db, html }: Source, place: Place, hasGit: boolean): AsyncGenerator<readonly object[]> {
  const labels: LabelRow[] = [];
  const list = (after: Id<'labels'>, limit: number) => listLabelsAfter(db, place.row.id, after, limit);
  for await (const rows of batchesOf(asId<'labels'>(0), list, ({ id }) => id)) labels.push(...rows);
  yield [repositoryRecord(html, place, { labels, hasGit })];
}

async function* milestonesOf({ db, html }: Source, place: Place, people: People): AsyncGenerator<readonly object[]> {
  const list = (after: number, limit: number) => listMilestonesAfter(db, place.row.id, after, limit);
  for await (const rows of batchesOf(0, list, ({ number }) => number)) {
    const accounts = await people.load(gather(rows, 'creator_id'));
    yield rows.map((row) => milestoneRecord(html, place, row, accounts));
  }
}

async function* issuesOf(source: Source, place: Place, people: People): AsyncGenerator<readonly object[]> {
  const { db, html } = source;
  const list = (after: number, limit: number) => listIssuesAfter(db, place.row.id, after, limit);
  for await (const rows of batchesOf(0, list, ({ number }) => number)) {
    const partsOf = await loadParts(source, rows, people);
    yield rows.map((row) => issueRecord(html, place, row, partsOf(row)));
  }
}

async function* pullsOf(
  source: Source,
  place: Place,
  people: People,
  places: readonly Place[],
): AsyncGenerator<readonly object[]> {
  const { db, html } = source;
  const urls = new Map(places.map(({ row, url }) => [row.id, url]));
  const list = (after: number, limit: number) => listPullsAfter(db, place.row.id, after, limit);
  for await (const rows of batchesOf(0, list, ({ number }) => number)) {
    const heads = await loadNamedRepositories(db, unique(gather(rows, 'head_repository_id')));
    // Who has the archive needn't know of private repositories of others.
    for (const { id, owner, name, visibility } of heads.values())
      if (visibility === 'public' && !urls.has(id)) urls.set(id, path(addressOf(html, owner), name));
    const partsOf = await loadParts(source, rows, people, gather(rows, 'head_owner_id', 'merged_by'));
    yield rows.map((row) =>
      pullRecord(html, place, row, { ...partsOf(row), headUrl: getOptional(urls, row.head_repository_id) ?? null }),
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
  const reactions = await loadReactions(db, { issues: ids });
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

async function* commentsOf({ db, html }: Source, place: Place, people: People): AsyncGenerator<readonly object[]> {
  const list = (after: Id<'issue_comments'>, limit: number) => listCommentsAfter(db, place.row.id, after, limit);
  for await (const rows of batchesOf(asId<'issue_comments'>(0), list, ({ id }) => id)) {
    const reactions = await loadReactions(db, { comments: gather(rows, 'id') });
    const accounts = await people.load([...gather(rows, 'author_id'), ...gather(reactions, 'user_id')]);
    const reactionsOf = grouped(reactions, ({ comment_id }) => comment_id);
    yield rows.map((row) => commentRecord(html, place, row, { reactions: reactionsOf.get(row.id) ?? [], accounts }));
  }
}

async function* eventsOf({ db, html }: Source, place: Place, people: People): AsyncGenerator<readonly object[]> {
  const list = (after: EventKey, limit: number) => listIssueEventsAfter(db, place.row.id, after, limit);
  for await (const rows of batchesOf(firstEvent, list, ({ key }) => key)) {
    const accounts = await people.load(rows.flatMap(({ actor_id, data }) => [actor_id, data.assignee]));
    yield rows.map((row) => eventRecord(html, place, row, accounts));
  }
}
