import type { RepositoryAction } from '#access/action.ts';
import { isHttps, type PagesAddress } from '#endpoint/pages-address.ts';
import type { WriteScope } from '#endpoint/scope.ts';
import { record } from '#events/record.ts';
import { inRepository } from '#events/scope.ts';
import type { Oid } from '#git/objects/oid.ts';
import { findBranch } from '#git/refs/refs.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { badRequest, conflict, invalid, notFound, orNotFound, unprocessable } from '#lib/refusal.ts';
import { addMinutes } from '#lib/time.ts';
import { checkMemberPrivilege, updateRepository } from '#resources/repositories/repositories/index.ts';
import { claimDomain, type OwnHosts } from './domains.ts';
import { isPublic } from './present.ts';
import { enqueueBuilds } from './queue.ts';
import { removeReaders } from './reader-store.ts';
import type { NewPage, PageChange, Source } from './schemas.ts';
import { findSiteForUpdate, insertBuilds, insertSite, removeDomain, removeSite, type SiteRow, updateSite } from './store.ts';

/**
 * The address of websites.
 * @throws Refusal 422 if this server serves no websites
 */
export function demandPages(pages: PagesAddress | undefined): PagesAddress {
  if (!pages) throw unprocessable('This server publishes no websites: its port for them is switched off.');
  return pages;
}

/** The source of a website, and the commit of its branch. */
type FoundSource = { readonly source: Source; readonly commit: Oid | undefined };

/**
 * Finds the branch of a source.
 * @throws Refusal 422 if it doesn't exist; a website that workflows deploy needs no branch
 */
export async function findSource(
  git: GitStore,
  repository: RepositoryAction['repo']['id'],
  { source, build_type }: { source: Source; build_type: SiteRow['build_type'] },
): Promise<FoundSource> {
  if (build_type === 'workflow') return { source, commit: undefined };
  const branch = await findBranch(repoOf(git, repository), source.branch);
  if (!branch)
    throw invalid('Page', 'source', 'invalid', `The branch ${source.branch} must exist before a website can be built from it`);
  return { source: { ...source, branch: branch.short }, commit: branch.oid };
}

/**
 * The source that a request for a new website names.
 * @throws Refusal 422 if the request needs a source and names none
 */
export function wantedSource({ repo }: Pick<RepositoryAction, 'repo'>, { build_type = 'legacy', source }: NewPage) {
  if (!source && build_type === 'legacy') throw invalid('Page', 'source', 'missing_field');
  return { build_type, source: source ?? ({ branch: repo.default_branch, path: '/' } as const) };
}

/** The source of a change: a branch, optionally with `/docs` appended, or both as separate fields. */
function readSource(source: NonNullable<PageChange['source']>): Source {
  if (typeof source !== 'string') return source;
  const [, branch = '', folder] = /^(.*?)(?: (\/|\/docs))?$/.exec(source.trim()) ?? [];
  return { branch, path: folder === '/docs' ? '/docs' : '/' };
}

const sourceOf = ({ source_branch, source_path }: SiteRow): Source => ({ branch: source_branch, path: source_path });

/**
 * The source of a website after a change; undefined if it stays the same.
 * @throws Refusal 422 if the branch is missing
 */
export async function findChangedSource(git: GitStore, site: SiteRow, wanted: PageChange): Promise<FoundSource | undefined> {
  if (wanted.source === undefined && wanted.build_type === undefined) return undefined;
  const source = wanted.source === undefined ? sourceOf(site) : readSource(wanted.source);
  return findSource(git, site.repository_id, { source, build_type: wanted.build_type ?? site.build_type });
}

/**
 * The commit of a requested build.
 * @throws Refusal 422 if the website isn't built from a branch, or the branch doesn't exist
 */
export async function findRequestedCommit(git: GitStore, site: SiteRow): Promise<Oid> {
  const { commit } = await findSource(git, site.repository_id, { source: sourceOf(site), build_type: site.build_type });
  if (commit === undefined) throw unprocessable('The website is brought by workflows, and not built from a branch.');
  return commit;
}

const healthMinutes = 5;

/** Whether a domain was checked recently. */
export const isHealthFresh = ({ health_checked_at }: SiteRow, now: Date): boolean =>
  health_checked_at !== null && addMinutes(health_checked_at, healthMinutes) > now;

/** Creates the website of a repository, and starts its first build. */
export async function createSite(
  scope: WriteScope,
  action: RepositoryAction,
  { source, commit, build_type, pages }: FoundSource & { build_type: SiteRow['build_type']; pages: PagesAddress },
): Promise<void> {
  const { repo, now } = action;
  await checkMemberPrivilege(scope, 'members_can_create_pages', action);
  await checkMayBe(scope, action, repo.visibility === 'public');
  const isNew = await insertSite(scope.tx, {
    repository_id: repo.id,
    build_type,
    source_branch: source.branch,
    source_path: source.path,
    is_public: null,
    https_enforced: isHttps(pages),
    created_at: now,
    updated_at: now,
  });
  if (!isNew) throw conflict('The repository has a website already.');
  await updateRepository(scope.tx, repo.id, { has_pages: true });
  await record(scope.tx, { ...inRepository(action), kind: 'pages.created', data: {} });
  if (commit) await requestBuild(scope, action, commit);
}

/** Refuses members of an organization that reserves websites of this visibility for its owners. */
const checkMayBe = (scope: WriteScope, action: RepositoryAction, isSeenByAll: boolean): Promise<void> =>
  checkMemberPrivilege(scope, isSeenByAll ? 'members_can_create_public_pages' : 'members_can_create_private_pages', action);

/** Queues a build of a commit. The builds of a website run one after the other. */
export async function requestBuild(scope: WriteScope, { repo, by, now }: RepositoryAction, commit: Oid): Promise<void> {
  const made = await insertBuilds(scope.tx, [
    {
      repository_id: repo.id,
      event_id: null,
      commit_sha: commit,
      pusher_id: by.account?.id ?? null,
      created_at: now,
      updated_at: now,
    },
  ]);
  await enqueueBuilds(scope.tx, made);
}

type Change = { wanted: PageChange; found: FoundSource | undefined; pages: PagesAddress; own: OwnHosts };

/** Changes the website of a repository. A new source starts a build. The current content is served until that ends. */
export async function changeSite(
  scope: WriteScope,
  action: RepositoryAction,
  { wanted, found, pages, own }: Change,
): Promise<void> {
  const { repo, now } = action;
  if (Object.keys(wanted).length === 0) throw badRequest('Name the settings to change.');
  const site = orNotFound(await findSiteForUpdate(scope.tx, repo.id));
  if (wanted.https_enforced && !isHttps(pages))
    throw invalid('Page', 'https_enforced', 'invalid', 'Websites of this server are not reached by HTTPS');
  const domain = await changeDomain(scope, repo.id, wanted.cname, own);
  const change = {
    ...(wanted.build_type === undefined ? {} : { build_type: wanted.build_type }),
    ...(found ? { source_branch: found.source.branch, source_path: found.source.path } : {}),
    ...(wanted.public === undefined ? {} : { is_public: await wishOf(scope, action, site, wanted.public) }),
    ...httpsOf(site, wanted, domain, pages),
    // The check of the former domain says nothing about the new one.
    ...(wanted.cname !== undefined && domain !== site.domain ? { health: null, health_checked_at: null } : {}),
  };
  await updateSite(scope.tx, repo.id, { ...change, updated_at: now });
  // Content at the former address may have left scripts in browsers, so readers sign in again.
  if (wanted.public !== undefined || wanted.cname !== undefined) await removeReaders(scope.tx, repo.id);
  await record(scope.tx, { ...inRepository(action), kind: 'pages.changed', data: {} });
  if (found?.commit) await requestBuild(scope, action, found.commit);
}

/**
 * The stored choice of visibility. A choice that equals the repository's visibility isn't stored, so that the website then
 * follows changes of the repository.
 */
async function wishOf(scope: WriteScope, action: RepositoryAction, site: SiteRow, wanted: boolean): Promise<boolean | null> {
  if (wanted !== isPublic(site, action.repo)) await checkMayBe(scope, action, wanted);
  return wanted === (action.repo.visibility === 'public') ? null : wanted;
}

/** A new domain requires HTTPS only if the same request asks for it, since its certificate may still be missing. */
function httpsOf(site: SiteRow, wanted: PageChange, domain: string | null | undefined, pages: PagesAddress) {
  if (wanted.https_enforced !== undefined) return { https_enforced: wanted.https_enforced };
  if (domain === undefined || domain === site.domain) return {};
  return { https_enforced: domain === null && isHttps(pages) };
}

async function changeDomain(
  scope: WriteScope,
  repository: SiteRow['repository_id'],
  cname: string | null | undefined,
  own: OwnHosts,
) {
  if (cname === undefined) return undefined;
  if (cname === null || cname.trim() === '') {
    await removeDomain(scope.tx, repository);
    return null;
  }
  const claimed = await claimDomain(scope, repository, cname, own);
  if ('domain' in claimed) return claimed.domain;
  throw invalid('Page', 'cname', claimed.isTaken ? 'already_exists' : 'invalid', `cname ${claimed.problem}`);
}

/** Deletes the website of a repository. It stops being served immediately. */
export async function deleteSite(scope: WriteScope, action: RepositoryAction): Promise<void> {
  const { repo } = action;
  if (!(await removeSite(scope.tx, repo.id))) throw notFound();
  await updateRepository(scope.tx, repo.id, { has_pages: false });
  await record(scope.tx, { ...inRepository(action), kind: 'pages.deleted', data: {} });
}
