// Hints on the query language, and what a search says of itself.
import { withQuery } from '#console/components/address.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import type { ResultType } from './query.ts';

const examples: Readonly<Record<ResultType, readonly (readonly [query: string, meaning: string])[]>> = {
  code: [
    ['parse language:typescript', 'files in a language'],
    ['timeout path:src', 'files below a folder'],
    ['"exact words" repo:owner/name', 'a phrase in one repository'],
  ],
  repositories: [
    ['engine in:name', 'repositories with the word in their name'],
    ['topic:compiler stars:>10', 'by topic and number of stars'],
    ['user:ada archived:false', 'of one owner, without archived ones'],
  ],
  issues: [
    ['crash is:open label:bug', 'open ones with a label'],
    ['author:@me no:assignee', 'yours that nobody has taken'],
    ['leak in:title created:>2026-01-01', 'by title and time'],
  ],
  pulls: [
    ['is:open review-requested:@me', 'those that wait for your review'],
    ['is:merged author:ada', 'what somebody has merged'],
    ['cache base:main', 'those for a branch'],
  ],
  commits: [
    ['fix author:ada', 'commits of a person'],
    ['revert committer-date:>2026-01-01', 'by time'],
    ['hash:124a9a0e', 'by the beginning of a hash'],
  ],
  users: [
    ['ada in:login', 'people by their login'],
    ['type:org acme', 'organizations alone'],
    ['repos:>5', 'by the number of their repositories'],
  ],
};

/** What the query language can do, by examples that can be tried. */
export const queryHints = (type: ResultType): TrustedHtml =>
  html`<section class="panel"><header><h2>How to narrow a search</h2></header><ul class="rows">${examples[type].map(
    ([query, meaning]) =>
      html`<li><a href="${withQuery('/search', { q: query, type })}"><code>${query}</code></a><span
class="soft">${meaning}</span></li>`,
  )}</ul><p class="body soft small">A minus before a word leaves it out: <code>-label:bug</code>. Quotes keep words
together.</p></section>`;

const fallbacks: Readonly<Record<string, string>> = {
  no_text_terms: 'the query has no words besides its filters',
  quoted_text: 'the query has a phrase in quotes',
  non_issue_target: 'the query is not about issues alone',
  or_boolean_not_supported: 'the query combines its parts by OR',
  no_accessible_repos: 'there is no repository to search in',
  only_non_semantic_fields_requested: 'the query asks for fields that have no meaning',
  service_unavailable: 'search by meaning is not available on this server now',
};

type SaidOfItself = {
  readonly search_type?: string | undefined;
  readonly lexical_fallback_reason?: readonly string[] | undefined;
};

/** How a search of issues was answered, in words. */
export function wayText({ search_type = 'lexical', lexical_fallback_reason = [] }: SaidOfItself): string {
  const [reason] = lexical_fallback_reason;
  if (reason !== undefined) return `Searched by words, since ${fallbacks[reason] ?? reason}.`;
  if (search_type === 'semantic') return 'Searched by meaning.';
  return search_type === 'hybrid' ? 'Searched by words and by meaning.' : 'Searched by words.';
}
