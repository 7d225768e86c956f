export { commitLink, contentsUrl, fileLinks, objectUrl, type RepositoryUrls, repositoryUrlsOf } from './links.ts';
export { findReadable } from './network.ts';
export { commit } from './path-resources.ts';
export {
  presentCommit,
  presentCommitsOfRepositories,
  presentGitCommit,
  presentMessage,
  presentPerson,
  presentVerification,
  type UrlsContext,
} from './present.ts';
export { emptyRepository, getCommitOid, isEmpty } from './revisions.ts';
export { Commit, GitCommit, GitPerson, ObjectLink, Verification } from './schemas.ts';
