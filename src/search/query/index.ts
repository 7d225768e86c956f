export { QueryError } from './errors.ts';
export { parse } from './parser.ts';
export { type QualifierSpec, qualifiers } from './qualifiers.ts';
export { commitSorts, issueSorts, repositorySorts, takeSort, userSorts } from './sorts.ts';
export { hasQualifier, type Node } from './tree.ts';
