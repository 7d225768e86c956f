// The community profile of a repository.
import { readsContents } from '#access/policies.ts';
import type { Repo, RepositoryRow } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import type { Links, NamedRepository } from '#endpoint/links.ts';
import { openObjects } from '#git/objects/objects.ts';
import type { Oid } from '#git/objects/oid.ts';
import type { GitStore } from '#git/repo.ts';
import { repoOf } from '#git/store.ts';
import { notFound } from '#lib/refusal.ts';
import { timestampOrNull } from '#lib/time.ts';
import { contentsUrl, fileLinks, repositoryUrlsOf } from '#resources/code/commits/index.ts';
import { presentLicense } from '#resources/repositories/licenses/index.ts';
import { findOwned } from '#resources/repositories/repositories/index.ts';
import { type CommunityFile, communityKinds, findCommunityFiles, recognizeCode } from '../community.ts';
import { findTip } from '../languages.ts';
import { findLicenseFile } from '../license.ts';
import { findReadme } from '../readme.ts';
import type { CommunityProfile, HealthFile } from '../schemas.ts';
import { CommunityProfile as Profile } from '../schemas.ts';

type Files = CommunityProfile['files'];
const noFiles: Files = {
  code_of_conduct: null,
  code_of_conduct_file: null,
  contributing: null,
  issue_template: null,
  pull_request_template: null,
  license: null,
  readme: null,
};

type Source = { links: Links; git: GitStore; repo: RepositoryRow & NamedRepository };

/** Opens the default branch of a repository; undefined where it has no commit. */
async function atTip<T>({ git, repo }: Source, work: (reader: Reader, commit: Oid) => Promise<T>): Promise<T | undefined> {
  const commit = await findTip(git, repo);
  if (commit === undefined) return undefined;
  await using reader = await openObjects(repoOf(git, repo.id));
  return await work(reader, commit);
}
type Reader = Awaited<ReturnType<typeof openObjects>>;

const linkTo = ({ links, repo }: Source, { path, isFolder }: CommunityFile): HealthFile => {
  const urls = repositoryUrlsOf(links, repo);
  const { html_url: blob, tree_url: tree } = fileLinks(urls, repo.default_branch, path);
  return { url: contentsUrl(urls, repo.default_branch, path), html_url: isFolder ? tree : blob };
};

/** The community files of a repository, as they are shown. */
async function communityFiles(source: Source): Promise<Partial<Files>> {
  const files = await atTip(source, async (reader, commit): Promise<Partial<Files>> => {
    const found = await findCommunityFiles(reader, commit);
    const { code_of_conduct: code, ...others } = Object.fromEntries(
      communityKinds.flatMap((kind) => (found[kind] ? [[kind, linkTo(source, found[kind])]] : [])),
    ) as Record<string, HealthFile>;
    if (!code || !found.code_of_conduct) return others;
    const known = await recognizeCode(reader, commit, found.code_of_conduct.path);
    return { ...others, code_of_conduct: { ...known, ...code }, code_of_conduct_file: code };
  });
  return files ?? {};
}

/** The README and the licence, which have no defaults in `.github`. */
async function ownFiles(source: Source): Promise<Partial<Files>> {
  const files = await atTip(source, async (reader, commit): Promise<Partial<Files>> => {
    const readme = await findReadme(reader, commit);
    const license = await findLicenseFile(reader, commit);
    return {
      ...(readme ? { readme: linkTo(source, { path: readme.path, isFolder: false }) } : {}),
      ...(license ? { license: presentLicense(source.links, license.license.key) } : {}),
    };
  });
  return files ?? {};
}

/** The owner's public repository `.github`, whose files are the defaults for repositories without their own. */
async function findDefaults(db: Db, repo: Repo): Promise<(RepositoryRow & NamedRepository) | undefined> {
  if (repo.name.toLowerCase() === '.github') return undefined;
  const row = await findOwned(db, repo.owner_id, '.github');
  return row?.visibility === 'public' ? { ...row, owner: repo.owner } : undefined;
}

/** The percentage of the seven texts and files recommended by the public API that the repository has. */
function healthOf(description: string | null, { code_of_conduct_file: _, ...files }: Files): number {
  const wanted = [description || null, ...Object.values(files)];
  return Math.floor((wanted.filter((one) => one !== null).length * 100) / wanted.length);
}

export const getCommunityProfile = endpoint({
  id: 'repos/get-community-profile-metrics',
  method: 'GET',
  path: '/repos/{owner}/{repo}/community/profile',
  summary: 'Get community profile metrics',
  access: readsContents,
  replies: { 200: Profile },
  async handle({ db, at: { repo }, links, services: { git } }) {
    if (repo.source_id !== null) throw notFound(); // Forks have no profile, as in the public API.
    const source = { links, git, repo };
    const [own, community, defaults] = await Promise.all([
      ownFiles(source),
      communityFiles(source),
      findDefaults(db, repo).then((found) => (found ? communityFiles({ links, git, repo: found }) : {})),
    ]);
    const files = { ...noFiles, ...defaults, ...community, ...own };
    return {
      health_percentage: healthOf(repo.description, files),
      description: repo.description,
      documentation: repo.homepage,
      files,
      updated_at: timestampOrNull(repo.pushed_at),
      // Hearth has no reports of content.
      ...(repo.owner.kind === 'organization' ? { content_reports_enabled: false } : {}),
    };
  },
});
