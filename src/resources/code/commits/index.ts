export { compareHistories, findComparison } from './compare.ts';
export { readDiff } from './diffs/read.ts';
export { Diff, DiffQuery } from './diffs/schemas.ts';
export { diffLimits } from './limits.ts';
export { commitLink, contentsUrl, fileLinks, objectUrl, type RepositoryUrls, repositoryUrlsOf } from './links.ts';
export { findReadable, findSide } from './network.ts';
export { commit } from './path-resources.ts';
export {
  presentCommit,
  presentCommits,
  presentCommitsOfRepositories,
  presentFiles,
  presentGitCommit,
  presentGitCommits,
  presentMessage,
  presentPerson,
  verificationOf,
} from './present.ts';
export { emptyRepository, getCommitBySha, getCommitOid, isEmpty } from './revisions.ts';
export { filterOf, listHistory, maxFiles } from './rules.ts';
export { Commit, DiffEntry, GitCommit, GitPerson, ObjectLink } from './schemas.ts';
