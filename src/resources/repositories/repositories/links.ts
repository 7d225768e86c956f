import { type Links, type NamedRepository, path, repositoryUrl, sshUrl } from '#endpoint/links.ts';

/** The URL fields that begin with the address of the repository in the API, with their suffixes. */
const below = {
  archive_url: '/{archive_format}{/ref}',
  assignees_url: '/assignees{/user}',
  blobs_url: '/git/blobs{/sha}',
  branches_url: '/branches{/branch}',
  collaborators_url: '/collaborators{/collaborator}',
  comments_url: '/comments{/number}',
  commits_url: '/commits{/sha}',
  compare_url: '/compare/{base}...{head}',
  contents_url: '/contents/{+path}',
  contributors_url: '/contributors',
  deployments_url: '/deployments',
  downloads_url: '/downloads',
  events_url: '/events',
  forks_url: '/forks',
  git_commits_url: '/git/commits{/sha}',
  git_refs_url: '/git/refs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  hooks_url: '/hooks',
  issue_comment_url: '/issues/comments{/number}',
  issue_events_url: '/issues/events{/number}',
  issues_url: '/issues{/number}',
  keys_url: '/keys{/key_id}',
  labels_url: '/labels{/name}',
  languages_url: '/languages',
  merges_url: '/merges',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  pulls_url: '/pulls{/number}',
  releases_url: '/releases{/id}',
  stargazers_url: '/stargazers',
  statuses_url: '/statuses/{sha}',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  tags_url: '/tags',
  teams_url: '/teams',
  trees_url: '/git/trees{/sha}',
} as const;

type Below = keyof typeof below;

/** The URL fields of a repository that contain its name, and those below it. */
export const simpleRepositoryLinks = ['url', 'html_url', ...(Object.keys(below) as Below[])] as const;

/** Every URL field of a repository. */
export const repositoryLinks = [...simpleRepositoryLinks, 'git_url', 'ssh_url', 'clone_url', 'svn_url'] as const;

type RepositoryLinks = Record<(typeof repositoryLinks)[number], string>;

/** All URL fields of one repository. */
export function linksOfRepository(links: Links, repo: NamedRepository): RepositoryLinks {
  const { owner, name } = repo;
  const url = repositoryUrl(links, repo);
  const html = path(links.html, owner.login, name);
  const host = new URL(links.html).host;
  const fields = Object.entries(below).map(([field, suffix]) => [field, url + suffix]);
  return {
    url,
    html_url: html,
    git_url: `git://${host}/${owner.login}/${name}.git`,
    ssh_url: sshUrl(links, repo),
    clone_url: `${html}.git`,
    svn_url: html,
    ...(Object.fromEntries(fields) as Record<Below, string>),
  };
}
