import { Type } from 'typebox';
import { readableRepositoryIds } from '#access/sql.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { OneOf, withDefault } from '#lib/shape.ts';
import {
  codeTextMatches,
  commitSorts,
  commitTextMatches,
  issueSorts,
  issueTextMatches,
  parse,
  repositoryReads,
  repositorySorts,
  repositoryTextMatches,
  type SearchType,
  searchCode,
  searchCommits,
  searchIssuesAs,
  searchRepositories,
  searchUsers,
  userSorts,
  userTextMatches,
} from '#search/index.ts';
import { answerSearch, parameters, search } from './answer.ts';
import { presentCodeHits, presentCommitHits, presentRepositoryHits, presentUserHits } from './present.ts';
import { presentIssueHits } from './present-issues.ts';
import {
  checkSignedIn,
  checkTarget,
  codeQuery,
  issueReads,
  limitOf,
  searchableFields,
  searchableTeams,
  searchTypeFields,
  sorted,
} from './rules.ts';
import { CodeItem, CommitItem, FoundIssues, found, RepositoryItem, UserItem } from './schemas.ts';
import { withoutDeprecatedFields } from './versions.ts';

/** Document 1: the sort and order of code search are deprecated. */
const deprecatedOrder = {
  sort: Type.Optional(OneOf(['indexed'], { deprecated: true })),
  order: withDefault(OneOf(['desc', 'asc'], { deprecated: true }), 'desc'),
};

export const searchCodeEndpoint = endpoint({
  ...search,
  id: 'search/code',
  path: '/search/code',
  summary: 'Search code',
  access: { permission: { none: 'signed_in' } },
  query: parameters(deprecatedOrder),
  limit: 'code_search',
  replies: { 200: found(CodeItem) },
  since: { '2026-03-10': withoutDeprecatedFields },
  async handle(call) {
    const { db, query, page, viewer, services } = call;
    const { git, vocabulary } = services;
    const { q, ...order } = query;
    const visible = readableRepositoryIds(viewer, 'contents');
    const request = { query: codeQuery(vocabulary, parse('code', q)), ...order, page, visible, viewerId: viewer.account.id };
    return answerSearch(call, {
      find: (budget) => searchCode({ db, git }, { ...request, budget }),
      match: (hits, budget) => codeTextMatches(git, { query: request.query, hits, budget }),
      present: presentCodeHits,
    });
  },
});

export const searchCommitsEndpoint = endpoint({
  ...search,
  id: 'search/commits',
  path: '/search/commits',
  summary: 'Search commits',
  access: { permission: { none: 'public' } },
  query: parameters({ sort: Type.Optional(OneOf(commitSorts)) }),
  limit: 'search',
  replies: { 200: found(CommitItem) },
  async handle(call) {
    const { db, query, page, viewer, links } = call;
    const order = sorted(parse('commits', query.q), query, commitSorts);
    const host = new URL(links.html).hostname;
    const request = { ...order, page, visible: readableRepositoryIds(viewer, 'contents'), viewerId: viewer.account?.id, host };
    return answerSearch(call, {
      find: (budget) => searchCommits(db, { ...request, budget }),
      match: (hits, budget) => commitTextMatches(db, { query: request.query, hits, budget }),
      present: presentCommitHits,
    });
  },
});

export const searchRepositoriesEndpoint = endpoint({
  ...search,
  id: 'search/repos',
  path: '/search/repositories',
  summary: 'Search repositories',
  access: { permission: { none: 'public' } },
  query: parameters({ sort: Type.Optional(OneOf(repositorySorts)) }),
  limit: 'search',
  replies: { 200: found(RepositoryItem) },
  async handle(call) {
    const { db, query, page, viewer } = call;
    const order = sorted(parse('repositories', query.q), query, repositorySorts);
    const visible = readableRepositoryIds(viewer, ...repositoryReads(order.query, order.sort));
    const request = { ...order, page, visible, viewerId: viewer.account?.id };
    return answerSearch(call, {
      find: (budget) => searchRepositories(db, { ...request, budget }),
      match: (hits, budget) => repositoryTextMatches({ query: request.query, hits, budget }),
      present: presentRepositoryHits,
    });
  },
});

export const searchUsersEndpoint = endpoint({
  ...search,
  id: 'search/users',
  path: '/search/users',
  summary: 'Search users',
  access: { permission: { none: 'public' } },
  query: parameters({ sort: Type.Optional(OneOf(userSorts)) }),
  limit: 'search',
  replies: { 200: found(UserItem) },
  async handle(call) {
    const { db, query, page, viewer } = call;
    const seesEmails = viewer.grant.kind !== 'none';
    const request = { ...sorted(parse('users', query.q), query, userSorts), page, viewerId: viewer.account?.id, seesEmails };
    return answerSearch(call, {
      find: (budget) => searchUsers(db, { ...request, budget }),
      match: (hits, budget) => userTextMatches({ ...request, hits, budget }),
      present: presentUserHits,
    });
  },
});

export const searchIssuesEndpoint = endpoint({
  ...search,
  id: 'search/issues-and-pull-requests',
  path: '/search/issues',
  summary: 'Search issues and pull requests',
  access: { permission: { none: 'public' } },
  query: parameters({
    sort: Type.Optional(OneOf(issueSorts)),
    advanced_search: Type.Optional(Type.String({ maxLength: 100 })),
    search_type: Type.Optional(OneOf(['semantic', 'hybrid'])),
  }),
  limit: limitOf,
  replies: { 200: FoundIssues },
  async handle(call) {
    const { db, query, page, viewer, services } = call;
    const { embeddings, vocabulary } = services;
    const type: SearchType = query.search_type ?? 'lexical';
    checkSignedIn(type, viewer);
    const advanced = query.advanced_search === 'true';
    const order = sorted(parse('issues', query.q, { advanced }), query, issueSorts);
    checkTarget(order.query, viewer);
    const fields = searchableFields(viewer);
    const teams = searchableTeams(viewer);
    const request = {
      ...order,
      ...issueReads(viewer),
      advanced,
      page,
      fields,
      teams,
      viewerId: viewer.account?.id,
      type,
      embeddings,
    };
    return answerSearch(call, {
      find: (budget) => searchIssuesAs(db, { ...request, budget }),
      match: (hits, budget) => issueTextMatches(db, { query: request.query, hits, budget }),
      present: presentIssueHits,
      extraFields: (result) => searchTypeFields(vocabulary, result),
    });
  },
});
