import type { RepositoryRow } from '#access/viewer.ts';
import type { Links, NamedRepository } from '#endpoint/links.ts';
import { originFor, type PagesAddress, siteUrl } from '#endpoint/pages-address.ts';
import type { Scope } from '#endpoint/scope.ts';
import { gather, getOptional } from '#lib/collections.ts';
import { firstOrNotFound } from '#lib/refusal.ts';
import { timestamp } from '#lib/time.ts';
import type { RepositoryUrls } from '#resources/code/commits/index.ts';
import { loadAccounts, presentUserOrNull } from '#resources/identity/accounts/index.ts';
import type { Page, PageBuild, PageDeploymentStatus } from './schemas.ts';
import type { BuildRow, SiteRow } from './store.ts';

/** Whether a website is public. */
export const isPublic = (site: Pick<SiteRow, 'is_public'>, { visibility }: Pick<RepositoryRow, 'visibility'>): boolean =>
  site.is_public ?? visibility === 'public';

/** The label of a website's own host; null if the website is public. */
export const labelFor = (site: Pick<SiteRow, 'is_public' | 'private_label'>, repository: Pick<RepositoryRow, 'visibility'>) =>
  isPublic(site, repository) ? null : site.private_label;

/** A website, with its address if this server serves websites. */
export function presentSite(
  { links, pages, url }: { links: Links; pages: PagesAddress | undefined; url: string },
  repository: NamedRepository & Pick<RepositoryRow, 'visibility'>,
  site: SiteRow,
): Page {
  const named = { ...repository, ...site, label: labelFor(site, repository) };
  return {
    url: `${url}/pages`,
    status: site.status === 'queued' || site.status === 'cancelled' ? 'building' : site.status,
    cname: site.domain,
    protected_domain_state: null,
    pending_domain_unverified_at: null,
    custom_404: site.custom_404,
    ...(pages ? { html_url: siteUrl(originFor(links, pages), pages, named) } : {}),
    build_type: site.build_type,
    source: { branch: site.source_branch, path: site.source_path },
    public: isPublic(site, repository),
    https_enforced: site.https_enforced,
  };
}

/** Presents a page of builds. */
export async function presentBuilds(
  { db, links }: Scope,
  urls: Pick<RepositoryUrls, 'url'>,
  rows: readonly BuildRow[],
): Promise<PageBuild[]> {
  const pushers = await loadAccounts(db, gather(rows, 'pusher_id'));
  return rows.map((row) => ({
    url: `${urls.url}/pages/builds/${row.id}`,
    status: row.status === 'cancelled' ? 'errored' : row.status,
    error: { message: row.error },
    pusher: presentUserOrNull(links, getOptional(pushers, row.pusher_id)),
    commit: row.commit_sha,
    duration: row.duration_ms,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }));
}

export const presentBuild = async (scope: Scope, urls: Pick<RepositoryUrls, 'url'>, row: BuildRow): Promise<PageBuild> =>
  firstOrNotFound(await presentBuilds(scope, urls, [row]));

const deploymentStatus = {
  queued: 'deployment_in_progress',
  building: 'syncing_files',
  built: 'succeed',
  errored: 'deployment_content_failed',
  cancelled: 'deployment_cancelled',
} as const satisfies Record<BuildRow['status'], PageDeploymentStatus['status']>;

/** Presents the result of a deployment. */
export const presentDeploymentStatus = ({ status }: BuildRow): PageDeploymentStatus => ({ status: deploymentStatus[status] });
