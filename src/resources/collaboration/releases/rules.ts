import type { RepositoryAction } from '#access/action.ts';
import type { Db } from '#database/connect.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { recordEach } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import { defined, formerOf } from '#lib/collections.ts';
import { invalid, orNotFound, unprocessable } from '#lib/refusal.ts';
import { snapshotOf } from '#lib/snapshot.ts';
import { fixRef, isFixed, type MoveScope, reserveRef } from '#resources/code/pushes/index.ts';
import { recordMentions, type TextAction } from '#resources/collaboration/issues/index.ts';
import { hasImmutableReleases } from '#resources/repositories/immutable-releases/index.ts';
import { lockRepository } from '#resources/repositories/repositories/index.ts';
import { loadAssets } from './asset-store.ts';
import { generateNotes } from './notes.ts';
import { checkTagName, ensureTag, tagRef, writeTagged } from './publish.ts';
import type { NewRelease, ReleaseChange } from './schemas.ts';
import {
  findPublished,
  findReleaseForUpdate,
  insertRelease,
  type ReleaseRow,
  removeRelease,
  unsetLatest,
  updateRelease,
} from './store.ts';

/** Refuses to publish a release with the tag of another one, or with the tag of an immutable release that was deleted. */
async function checkTagIsFree(db: Db, { id }: RepositoryAction['repo'], tag: string, own?: ReleaseRow['id']): Promise<void> {
  const [published, isReserved] = await Promise.all([findPublished(db, id, tag), isFixed(db, id, tagRef(tag))]);
  if (published && published.id !== own) throw invalid('Release', 'tag_name', 'already_exists');
  if (!published && isReserved) throw invalid('Release', 'tag_name', 'custom', 'tag_name was used by an immutable release');
}

export const immutableRefusal = () => unprocessable('Cannot change an immutable release.');

function checkCategory(category: string | undefined): void {
  if (category !== undefined && category !== '')
    throw invalid('Release', 'discussion_category_name', 'invalid', 'There are no discussions here');
}

/**
 * Creates a release. Unless it is a draft, it is published immediately: its tag is created first if it is missing, and deleted
 * again if a concurrent change causes a refusal.
 */
export async function createRelease(scope: MoveScope, action: RepositoryAction, wanted: NewRelease): Promise<ReleaseRow> {
  const { repo, by, now } = action;
  const { tag_name, draft, prerelease } = wanted;
  checkTagName(tag_name);
  checkCategory(wanted.discussion_category_name);
  const target_commitish = wanted.target_commitish || repo.default_branch;
  if (!draft) await checkTagIsFree(scope.db, repo, tag_name);
  const texts = await textsOf(scope, action, { ...wanted, target_commitish });
  const tag = draft ? undefined : await ensureTag(scope, action, { tag_name, target_commitish });
  return writeTagged(scope, tag, async (scope) => {
    await lockRepository(scope.tx, repo.id);
    if (!draft) await checkTagIsFree(scope.tx, repo, tag_name);
    const row = await insertRelease(scope.tx, {
      repository_id: repo.id,
      tag_name,
      target_commitish,
      ...texts,
      draft,
      prerelease,
      immutable: !draft && (await hasImmutableReleases(scope, repo)),
      latest: wanted.make_latest ?? 'true',
      author_id: by.account.id,
      created_at: tag?.date ?? now,
      updated_at: now,
      published_at: draft ? null : now,
    });
    if (!draft) await settleLatest(scope, row);
    if (row.immutable) await fixRef(scope.tx, repo.id, tagRef(row.tag_name));
    if (!draft) await recordMentions(scope, { ...action, html: scope.links.html }, { release: row.id, after: row.body });
    await recordOf(scope, action, row, ['release.created', ...(draft ? [] : publications(row))]);
    return row;
  });
}

/** The name and the body of a new release, with generated notes if the request asks for them. */
async function textsOf(
  scope: MoveScope,
  action: RepositoryAction,
  { name = null, body = null, tag_name, target_commitish, generate_release_notes }: NewRelease & { target_commitish: string },
) {
  if (!generate_release_notes) return { name, body };
  const notes = await generateNotes(scope, action, { tag_name, target_commitish });
  return { name: name || notes.name, body: body ? `${body}\n\n${notes.body}` : notes.body };
}

/** The events of a release's publication. */
const publications = ({ prerelease }: ReleaseRow) =>
  ['release.published', prerelease ? 'release.prereleased' : 'release.released'] as const;

type Plain = 'release.created' | 'release.unpublished' | ReturnType<typeof publications>[number];

const recordOf = (scope: WriteScope, action: RepositoryAction, { id }: ReleaseRow, kinds: readonly Plain[]) =>
  recordEach(scope.tx, kinds, (kind) => ({ ...inRepository(action), kind, data: { release: id } }));

/** A release marked as the latest, or one that lets the date decide, replaces the release that was marked before. */
async function settleLatest(scope: WriteScope, row: ReleaseRow): Promise<void> {
  if (!row.prerelease && row.latest !== 'false') await unsetLatest(scope.tx, row.repository_id, row.id);
}

/**
 * Changes a release. This includes publishing a draft, and turning a published release into a draft.
 * @throws Refusal 422 for a published release that is immutable
 */
export async function changeRelease(
  scope: MoveScope,
  action: RepositoryAction,
  release: ReleaseRow,
  wanted: ReleaseChange,
): Promise<ReleaseRow> {
  const { repo } = action;
  checkCategory(wanted.discussion_category_name);
  const planned = changed(release, wanted);
  checkTagName(planned.tag_name);
  checkMutable(release, planned);
  const needsTag = !planned.draft && (release.draft || planned.tag_name !== release.tag_name);
  if (needsTag) await checkTagIsFree(scope.db, repo, planned.tag_name);
  const tag = needsTag ? await ensureTag(scope, action, planned) : undefined;
  return writeTagged(scope, tag, async (scope) => {
    await lockRepository(scope.tx, repo.id);
    const before = orNotFound(await findReleaseForUpdate(scope.tx, release));
    const after = changed(before, wanted);
    checkMutable(before, after);
    if (!after.draft) await checkTagIsFree(scope.tx, repo, after.tag_name, before.id);
    return writeChange(
      scope,
      { ...action, html: scope.links.html },
      { before, after, created: tag?.date, isLatestAsked: wanted.make_latest !== undefined },
    );
  });
}

type Changed = Pick<ReleaseRow, 'tag_name' | 'target_commitish' | 'name' | 'body' | 'draft' | 'prerelease' | 'latest'>;

function changed(release: ReleaseRow, wanted: ReleaseChange): Changed {
  const { tag_name, target_commitish, name, body, draft, prerelease, make_latest } = wanted;
  const change = defined({ tag_name, target_commitish: target_commitish || undefined, name, body, draft, prerelease });
  const { tag_name: tag, target_commitish: target, name: title, body: text, draft: isDraft, prerelease: isPre } = release;
  return {
    tag_name: tag,
    target_commitish: target,
    name: title,
    body: text,
    draft: isDraft,
    prerelease: isPre,
    ...change,
    latest: make_latest ?? release.latest,
  };
}

/** For an immutable release, only the mark of the latest may change. */
function checkMutable(before: ReleaseRow, after: Changed): void {
  if (!before.immutable) return;
  const former = formerOf(before, { ...before, ...after }, 'tag_name', 'target_commitish', 'name', 'body', 'draft', 'prerelease');
  if (Object.keys(former).length > 0) throw immutableRefusal();
}

type Change = { before: ReleaseRow; after: Changed; created: Date | undefined; isLatestAsked: boolean };

async function writeChange(scope: WriteScope, action: TextAction, { before, after, created, isLatestAsked }: Change) {
  const { repo, now } = action;
  const isPublished = before.draft && !after.draft;
  const row = await updateRelease(scope.tx, before.id, {
    ...after,
    ...(created ? { created_at: created } : {}),
    updated_at: now,
    published_at: after.draft ? null : (before.published_at ?? now),
    immutable: before.immutable || (isPublished && (await hasImmutableReleases(scope, repo))),
  });
  if (!row.draft && (isPublished || isLatestAsked)) await settleLatest(scope, row);
  if (isPublished && row.immutable) await fixRef(scope.tx, repo.id, tagRef(row.tag_name));
  const { id: release, body } = row;
  if (!row.draft) await recordMentions(scope, action, { release, after: body, ...(before.draft ? {} : { before: before.body }) });
  await recordEdit(scope, action, { before, row, isLatestAsked });
  const isReleased = !before.draft && !row.draft && before.prerelease && !row.prerelease;
  await recordOf(scope, action, row, [
    ...(isPublished ? publications(row) : []),
    ...(isReleased ? (['release.released'] as const) : []),
    ...(!before.draft && row.draft ? (['release.unpublished'] as const) : []),
  ]);
  return row;
}

async function recordEdit(
  scope: WriteScope,
  action: RepositoryAction,
  { before, row, isLatestAsked }: { before: ReleaseRow; row: ReleaseRow; isLatestAsked: boolean },
): Promise<void> {
  const from = formerOf(before, row, 'name', 'body', 'tag_name');
  const latest = isLatestAsked && row.latest !== before.latest ? { latest: row.latest === 'true' } : {};
  const isEdited = Object.keys({ ...from, ...latest }).length > 0 || before.prerelease !== row.prerelease;
  await recordEach(scope.tx, isEdited ? [row] : [], ({ id: release }) => ({
    ...inRepository(action),
    kind: 'release.edited',
    data: { release, from, ...latest },
  }));
}

/**
 * Deletes a release with its files. Its tag stays. The tag of an immutable release can be deleted afterwards, but not used
 * again. Returns the keys of the objects to remove.
 */
export async function deleteRelease(scope: WriteScope, action: RepositoryAction, release: ReleaseRow): Promise<string[]> {
  const assets = (await loadAssets(scope.tx, [release.id])).get(release.id) ?? [];
  await removeRelease(scope.tx, release.id);
  if (release.immutable) await reserveRef(scope.tx, action.repo.id, tagRef(release.tag_name));
  await recordEach(scope.tx, [release], (row) => ({
    ...inRepository(action),
    kind: 'release.deleted',
    data: { release: snapshotOf(row), assets: assets.map(snapshotOf) },
  }));
  return assets.map(({ object_key }) => object_key);
}
