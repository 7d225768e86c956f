// The rules of rulesets, each as a sentence.
import type { Rule, RuleOf } from '#resources/code/rulesets/index.ts';

type Pattern = { readonly operator: string; readonly pattern: string; readonly negate?: boolean };

const operators: Readonly<Record<string, string>> = {
  starts_with: 'start with',
  ends_with: 'end with',
  contains: 'contain',
  regex: 'match the regular expression',
};

const patternText = (what: string, { operator, pattern, negate = false }: Pattern): string =>
  `${what} must ${negate ? 'not ' : ''}${operators[operator] ?? operator} “${pattern}”.`;

const listed = (names: readonly string[]): string => names.map((name) => `“${name}”`).join(', ');

const approvals = (count: number): string => (count === 1 ? '1 approving review' : `${count} approving reviews`);

function pullRequestText({ parameters: wanted }: RuleOf<'pull_request'>): string {
  const demands = [
    wanted.required_approving_review_count > 0 && approvals(wanted.required_approving_review_count),
    wanted.require_code_owner_review && 'a review by code owners',
    wanted.require_last_push_approval && 'an approval by somebody else than who pushed last',
    wanted.required_review_thread_resolution && 'all conversations to be resolved',
    (wanted.required_reviewers?.length ?? 0) > 0 && 'reviews by teams for certain files',
  ].filter((text) => text !== false);
  const needs = demands.length === 0 ? '' : ` It needs ${demands.join(', ')}.`;
  const dismissal = wanted.dismiss_stale_reviews_on_push ? ' Pushes dismiss earlier approvals.' : '';
  const methods = wanted.allowed_merge_methods ? ` Merging is possible by ${wanted.allowed_merge_methods.join(', ')}.` : '';
  return `Changes need a pull request.${needs}${dismissal}${methods}`;
}

type Sentences = { readonly [Type in Rule['type']]: (rule: RuleOf<Type>) => string };

const sentences: Sentences = {
  creation: () => 'Nobody may create it.',
  update: () => 'Nobody may push to it.',
  deletion: () => 'Nobody may delete it.',
  non_fast_forward: () => 'Nobody may force a push to it.',
  required_linear_history: () => 'Its history has no merge commits.',
  required_signatures: () => 'Its commits need verified signatures.',
  required_deployments: ({ parameters }) =>
    `Commits must have been deployed to ${listed(parameters.required_deployment_environments)} before.`,
  pull_request: pullRequestText,
  required_status_checks: ({ parameters }) =>
    `The checks ${listed(parameters.required_status_checks.map(({ context }) => context))} must succeed${
      parameters.strict_required_status_checks_policy ? ', with the latest commit of the branch' : ''
    }.`,
  code_scanning: ({ parameters }) =>
    `Code scanning by ${listed(parameters.code_scanning_tools.map(({ tool }) => tool))} must find nothing serious.`,
  merge_queue: () => 'Pull requests are merged by the merge queue.',
  assistant_code_review: () => 'The assistant reviews pull requests by itself.',
  workflows: ({ parameters }) => `The workflows ${listed(parameters.workflows.map(({ path }) => path))} must succeed.`,
  commit_message_pattern: ({ parameters }) => patternText('Commit messages', parameters),
  commit_author_email_pattern: ({ parameters }) => patternText('E-mail addresses of authors', parameters),
  committer_email_pattern: ({ parameters }) => patternText('E-mail addresses of committers', parameters),
  branch_name_pattern: ({ parameters }) => patternText('Names of branches', parameters),
  tag_name_pattern: ({ parameters }) => patternText('Names of tags', parameters),
  file_path_restriction: ({ parameters }) => `Pushes must not change ${listed(parameters.restricted_file_paths)}.`,
  file_extension_restriction: ({ parameters }) =>
    `Pushes must not have files with the extensions ${listed(parameters.restricted_file_extensions)}.`,
  max_file_path_length: ({ parameters }) => `Paths of files have at most ${parameters.max_file_path_length} characters.`,
  max_file_size: ({ parameters }) => `Files have at most ${parameters.max_file_size} MB.`,
  repository_create: () => 'Nobody may create such repositories.',
  repository_delete: () => 'Nobody may delete such repositories.',
  repository_transfer: () => 'Nobody may transfer such repositories.',
  repository_name: ({ parameters }) => patternText('Names of repositories', parameters),
  repository_visibility: ({ parameters }) => `Repositories may be ${parameters.allowed_visibilities.join(' or ')}.`,
};

/** What a rule demands. */
export const ruleSentence = (rule: Rule): string => (sentences[rule.type] as (one: Rule) => string)(rule); // of the same type
