import { type TProperties, Type } from 'typebox';
import { readableRepositoryIds } from '#access/sql.ts';
import { endpoint } from '#endpoint/endpoint.ts';
import { pages } from '#endpoint/paging.ts';
import { Demanded, OneOf, withDefault } from '#lib/shape.ts';
import {
  codeTextMatches,
  commitSorts,
  commitTextMatches,
  issueSorts,
  issueTextMatches,
  maxResults,
  parse,
  repositoryReads,
  repositorySorts,
  repositoryTextMatches,
  searchCode,
  searchCommits,
  searchIssuesAs,
  searchRepositories,
  startBudget,
} from '#search/index.ts';
import { presentCodeHit, presentCommitHits, presentHitRepositories, presentMatches } from './present.ts';
import { presentIssueHits } from './present-issues.ts';
import { checkSignedIn, checkTarget, codeQuery, limitOf, searchableFields, sorted, tellType } from './rules.ts';
import { CodeItem, CommitItem, FoundIssues, found, RepositoryItem } from './schemas.ts';
import { withoutClosingFields } from './versions.ts';

/** Every search takes these (document 1, Endpoints). */
const common = {
  q: Demanded(Type.String({ maxLength: 20_000 })),
  order: withDefault(OneOf(['desc', 'asc']), 'desc'),
};
const parameters = <P extends TProperties>(own: P) => Type.Object({ ...common, ...own }, { title: 'Search' });

/** Document 1: code search is going to lose its sort and order. */
const closingDown = {
  sort: Type.Optional(OneOf(['indexed'], { deprecated: true })),
  order: withDefault(OneOf(['desc', 'asc'], { deprecated: true }), 'desc'),
};

export const searchCodeEndpoint = endpoint({
  id: 'search/code',
  method: 'GET',
  path: '/search/code',
  summary: 'Search code',
  access: { permission: { none: 'signed_in' } },
  query: parameters(closingDown),
  paging: pages({ most: maxResults }),
  media: ['text-match'],
  limit: 'code_search',
  replies: { 200: found(CodeItem) },
  since: { '2026-03-10': withoutClosingFields },
  async handle({ db, query: { q, sort, order }, page, viewer, links, media, services }) {
    const { git, searchBudget, vocabulary } = services;
    const query = codeQuery(vocabulary, parse('code', q));
    const budget = startBudget(searchBudget);
    const asked = { query, sort, order, page, visible: readableRepositoryIds(viewer, 'contents'), viewerId: viewer.account.id };
    const { items: hits, total_count, incomplete_results } = await searchCode({ db, git }, { ...asked, budget: searchBudget });
    const repositories = await presentHitRepositories({ db, links, viewer }, hits);
    const matches = media === 'text-match' ? await codeTextMatches(git, { query, hits, budget }) : undefined;
    const rows = hits.flatMap((hit, at) => {
      const repository = repositories.get(hit.repositoryId);
      return repository ? [presentCodeHit(hit, repository, matches && (matches[at] ?? []))] : [];
    });
    const isWhole = !incomplete_results && (!matches || matches.length === hits.length);
    return { rows, total: total_count, extra: { incomplete_results: !isWhole } };
  },
});

export const searchCommitsEndpoint = endpoint({
  id: 'search/commits',
  method: 'GET',
  path: '/search/commits',
  summary: 'Search commits',
  access: { permission: { none: 'public' } },
  query: parameters({ sort: Type.Optional(OneOf(commitSorts)) }),
  paging: pages({ most: maxResults }),
  media: ['text-match'],
  limit: 'search',
  replies: { 200: found(CommitItem) },
  async handle({ db, query: { q, ...by }, page, viewer, links, media, services: { git, searchBudget } }) {
    const { query, sort, order } = sorted(parse('commits', q), by, commitSorts);
    const budget = startBudget(searchBudget);
    const host = new URL(links.html).hostname;
    const asked = {
      query,
      sort,
      order,
      page,
      visible: readableRepositoryIds(viewer, 'contents'),
      viewerId: viewer.account?.id,
      host,
    };
    const { items: hits, total_count, incomplete_results } = await searchCommits(db, { ...asked, budget: searchBudget });
    const matches = media === 'text-match' ? await commitTextMatches(db, { query, hits, budget }) : undefined;
    const rows = await presentCommitHits({ db, links, viewer, git }, hits, matches);
    const isWhole = !incomplete_results && (!matches || matches.length === hits.length);
    return { rows, total: total_count, extra: { incomplete_results: !isWhole } };
  },
});

export const searchRepositoriesEndpoint = endpoint({
  id: 'search/repos',
  method: 'GET',
  path: '/search/repositories',
  summary: 'Search repositories',
  access: { permission: { none: 'public' } },
  query: parameters({ sort: Type.Optional(OneOf(repositorySorts)) }),
  paging: pages({ most: maxResults }),
  media: ['text-match'],
  limit: 'search',
  replies: { 200: found(RepositoryItem) },
  async handle({ db, query: { q, ...by }, page, viewer, links, media, services: { searchBudget } }) {
    const { query, sort, order } = sorted(parse('repositories', q), by, repositorySorts);
    const visible = readableRepositoryIds(viewer, ...repositoryReads(query, sort));
    const asked = { query, sort, order, page, visible, viewerId: viewer.account?.id };
    const { items: hits, total_count, incomplete_results } = await searchRepositories(db, { ...asked, budget: searchBudget });
    const repositories = await presentHitRepositories({ db, links, viewer }, hits);
    const matches = media === 'text-match' ? repositoryTextMatches(query, hits) : undefined;
    const rows = hits.flatMap(({ repositoryId, score }, at) => {
      const repository = repositories.get(repositoryId);
      const text = matches && repository && presentMatches(matches[at] ?? [], { url: repository.url, type: 'Repository' });
      return repository ? [{ ...repository, score, ...(text ? { text_matches: text } : {}) }] : [];
    });
    return { rows, total: total_count, extra: { incomplete_results } };
  },
});

export const searchIssuesEndpoint = endpoint({
  id: 'search/issues-and-pull-requests',
  method: 'GET',
  path: '/search/issues',
  summary: 'Search issues and pull requests',
  access: { permission: { none: 'public' } },
  query: parameters({
    sort: Type.Optional(OneOf(issueSorts)),
    advanced_search: Type.Optional(Type.String({ maxLength: 100 })),
    search_type: Type.Optional(OneOf(['semantic', 'hybrid'])),
  }),
  paging: pages({ most: maxResults }),
  media: ['text-match'],
  limit: limitOf,
  replies: { 200: FoundIssues },
  async handle({ db, query: { q, ...wanted }, page, viewer, links, media, services }) {
    const type = wanted.search_type ?? 'lexical';
    checkSignedIn(type, viewer);
    const advanced = wanted.advanced_search === 'true';
    const { query, sort, order } = sorted(parse('issues', q, { advanced }), wanted, issueSorts);
    checkTarget(query, viewer);
    const budget = startBudget(services.searchBudget);
    const asked = {
      query,
      advanced,
      sort,
      order,
      page,
      visible: readableRepositoryIds(viewer, 'issues'),
      fields: searchableFields(viewer),
      viewerId: viewer.account?.id,
    };
    const found = await searchIssuesAs(db, { ...asked, type, embeddings: services.embeddings, budget: services.searchBudget });
    const { items: hits, total_count, incomplete_results } = found;
    const matches = media === 'text-match' ? await issueTextMatches(db, { query, hits, budget }) : undefined;
    const rows = await presentIssueHits({ db, links, viewer }, hits, matches);
    const isWhole = !incomplete_results && (!matches || matches.length === hits.length);
    return { rows, total: total_count, extra: { incomplete_results: !isWhole, ...tellType(services.vocabulary, found) } };
  },
});
