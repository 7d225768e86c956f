export { QueryError, type QueryProblem } from './errors.ts';
export { type ParseOptions, parse } from './parser.ts';
export { print } from './printer.ts';
export { findQualifier, type QualifierSpec, qualifiers, type SearchKind } from './qualifiers.ts';
export {
  type CommitSort,
  commitSorts,
  type IssueSort,
  issueSorts,
  type RepositorySort,
  repositorySorts,
  takeSort,
  type UserSort,
  userSorts,
} from './sorts.ts';
export { group, hasQualifier, type Leaf, leaves, type Node, negate, type Qualifier, type Text } from './tree.ts';
export type { Value } from './values.ts';
