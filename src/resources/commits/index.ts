export { commitLink, contentsUrl, fileLinks, objectUrl, type Place, placeOf } from './links.ts';
export { findReadable } from './network.ts';
export {
  type PlaceContext,
  presentCommit,
  presentGitCommit,
  presentMessage,
  presentPerson,
  presentPlacedCommits,
  presentVerification,
} from './present.ts';
export { checkRefCount, emptyRepository, getCommitOid, isEmpty } from './revisions.ts';
export { Commit, GitCommit, GitPerson, ObjectLink, Verification } from './schemas.ts';
