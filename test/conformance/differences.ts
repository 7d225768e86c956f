import type { Vocabulary } from '#vocabulary/words.ts';

/** An intended difference between replies and the public description. */
export type Difference = {
  /** `*` matches every operation. */
  readonly operationId: string;
  /**
   * The location, as a JSON pointer with public names. `*` matches each item of a list, and `**` at the beginning matches any
   * prefix. Everything below is covered too.
   */
  readonly pointer: string;
  readonly reason: string;
  /** If the documents take precedence over the public API, the difference exists only in the `service` vocabulary. */
  readonly vocabulary?: Vocabulary;
};

export type SchemaLocation = { readonly operationId: string; readonly pointer: string; readonly vocabulary: Vocabulary };

/**
 * The allowed differences, one entry each with its reason. The list can only shrink: a complete run reports entries that no reply
 * needed.
 */
export const differences: readonly Difference[] = [
  {
    operationId: 'billing/get-github-billing-usage-report-org',
    pointer: '/usageItems/*/quantity',
    reason: 'hours of storage are fractions of a gigabyte; the description has whole numbers here, and fractions in the summary',
  },
  ...[
    ['billing/create-organization-budget', '/budget/budget_type'],
    ['billing/update-budget-org', '/budget/budget_type'],
    ['billing/get-budget-org', '/budget_type'],
    ['billing/get-all-budgets-org', '/budgets/*/budget_type'],
  ].map(([operationId = '', pointer = '']) => ({
    operationId,
    pointer,
    reason: 'a budget for a bundle: the description has `BundlePricing` in requests alone',
  })),
  ...['archived_at', 'archived_by'].map((field) => ({
    operationId: '*',
    pointer: `**/${field}`,
    reason: 'of labels: newer public descriptions have it, and clients that are made from those demand it',
  })),
  ...['type', 'node_id'].map((field) => ({
    operationId: 'search/code',
    pointer: `/items/*/repository/owner/${field}`,
    reason: 'null in the API version 2026-03-10 (document 1, rule 10); the public description is of the one before',
  })),
  ...['activity/list-notifications-for-authenticated-user', 'activity/list-repo-notifications-for-authenticated-user'].flatMap(
    (operationId) =>
      ['url', 'latest_comment_url'].map((field) => ({
        operationId,
        pointer: `/*/subject/${field}`,
        reason: 'null for check suites, as the public API answers; the description has a text in any case',
      })),
  ),
  ...['url', 'latest_comment_url'].map((field) => ({
    operationId: 'activity/get-thread',
    pointer: `/subject/${field}`,
    reason: 'null for check suites, as the public API answers; the description has a text in any case',
  })),
  ...[
    ['secret-scanning/list-alerts-for-repo', '/*/resolution'],
    ['secret-scanning/list-alerts-for-org', '/*/resolution'],
    ['secret-scanning/get-alert', '/resolution'],
  ].map(([operationId = '', pointer = '']) => ({
    operationId,
    pointer,
    reason: 'alerts end with their custom pattern, too, as the description says of its deletion and of webhooks',
  })),
  ...[
    ['repos/create-deployment-status', ''],
    ['repos/get-deployment-status', ''],
    ['repos/list-deployment-statuses', '/*'],
  ].flatMap(([operationId = '', place = '']) =>
    ['target_url', 'environment_url', 'log_url'].map((field) => ({
      operationId,
      pointer: `${place}/${field}`,
      reason: 'empty where there is none, as the same description has it by default; it is no address then',
    })),
  ),
  ...['pulls/list-reviews', 'pulls/list-review-comments', 'repos/list-comments-for-commit'].map((operationId) => ({
    operationId,
    pointer: '/*/body',
    reason: 'a rendering stands in its place where a media type asks for that alone, as the same description says in words',
  })),
  ...['body_text', 'body_html'].map((field) => ({
    operationId: 'repos/list-comments-for-commit',
    pointer: `/*/${field}`,
    reason: 'a rendering that a media type asks for: the description names the media types in words, and lacks their fields',
  })),
  ...[
    ['pulls/get-review-comment', '/line'],
    ['pulls/get-review-comment', '/original_line'],
    ['pulls/create-review-comment', '/line'],
    ['pulls/create-review-comment', '/original_line'],
    ['pulls/list-review-comments', '/*/line'],
    ['pulls/list-review-comments', '/*/original_line'],
    ['pulls/list-review-comments', '/*/position'],
    ['pulls/list-review-comments-for-repo', '/*/line'],
    ['pulls/list-review-comments-for-repo', '/*/original_line'],
    ['pulls/list-review-comments-for-repo', '/*/position'],
    ['issues/list-events-for-timeline', '/*/comments/*/line'],
    ['issues/list-events-for-timeline', '/*/comments/*/original_line'],
    ['issues/list-events-for-timeline', '/*/comments/*/position'],
  ].map(([operationId = '', pointer = '']) => ({
    operationId,
    pointer,
    reason:
      'null where a comment is on a file, or its line is outdated, as clients know it; the description of payloads says so, too',
  })),
  ...[
    ['issues/list-events', '/*/issue_field'],
    ['issues/list-events-for-repo', '/*/issue_field'],
    ['issues/list-events-for-timeline', '/*/issue_field'],
    ['issues/get-event', '/issue_field'],
  ].map(([operationId = '', pointer = '']) => ({
    operationId,
    pointer,
    reason: 'which field of an issue changed, and how: the description knows of no such events',
  })),
  ...(
    [
      ['pulls/get', '/head/repo'],
      ['pulls/list', '/*/head/repo'],
      ['pulls/update', '/head/repo'],
    ] as const
  ).map(([operationId, pointer]) => ({
    operationId,
    pointer,
    reason: 'null where the fork is gone, as the public API answers; the description has a repository in any case',
  })),
  ...[
    ['repos/create-or-update-environment', ''],
    ['repos/get-environment', ''],
    ['repos/get-all-environments', '/environments/*'],
  ].map(([operationId = '', place = '']) => ({
    operationId,
    pointer: `${place}/can_admins_bypass`,
    reason: 'the public API answers and takes it, as clients know it; its description lacks it',
  })),
  {
    operationId: 'search/commits',
    pointer: '/items/*/committer',
    reason: 'an account, as document 1 says and as for the author; the description has what Git holds of a person there',
  },
  {
    operationId: 'search/issues-and-pull-requests',
    pointer: '/search_type',
    reason: 'document 1 names the type of a search where it is not the usual one',
    vocabulary: 'service',
  },
  {
    operationId: 'search/issues-and-pull-requests',
    pointer: '/items/*/body',
    reason: 'an issue may have no body, as its own description says',
  },
  ...(
    [
      ['checks/list-for-ref', '/check_runs/*/conclusion'],
      ['checks/get', '/conclusion'],
    ] as const
  ).map(([operationId, pointer]) => ({
    operationId,
    pointer,
    reason: 'stale is a conclusion in the descriptions of requests, suites and webhooks, and forgotten in the one of runs',
  })),
  {
    operationId: 'meta/get',
    pointer: '/installed_version',
    reason: 'self-hosted servers say which version they are, as clients expect of them',
  },
  {
    operationId: 'rate-limit/get',
    pointer: '/resources/semantic_search',
    reason: 'a limit of document 1 that the public description does not know',
  },
  {
    operationId: 'apps/list-installations',
    pointer: '/*/account',
    reason: 'the description of this list alone wants the fields of a user and of an enterprise in one object',
  },
  {
    operationId: 'apps/list-installations',
    pointer: '/*/client_id',
    reason: 'known for one installation, and forgotten in the description of this list',
  },
  {
    operationId: 'private-registries/list-org-private-registries',
    pointer: '/configurations/*/selected_repository_ids',
    reason: 'document 2 shows it of every configuration, the public description in the reply of a creation alone',
  },
  {
    operationId: 'private-registries/get-org-private-registry',
    pointer: '/selected_repository_ids',
    reason: 'document 2 shows it of every configuration, the public description in the reply of a creation alone',
  },
  {
    operationId: 'private-registries/create-org-private-registry',
    pointer: '/username',
    reason: 'null where a registry needs none (document 2; the public description agrees in the other replies)',
  },
  ...['repos/create-org-ruleset', 'repos/update-org-ruleset', 'repos/get-org-ruleset', 'repos/get-repo-ruleset'].flatMap(
    (operationId) =>
      ['type', 'parameters/allowed_visibilities'].map((field) => ({
        operationId,
        pointer: `/rules/*/${field}`,
        reason: 'rules about repositories: the public description has their target, and none of the rules',
      })),
  ),
  ...[
    ['repos/get-org-rule-suites', '/*'],
    ['repos/get-org-rule-suite', ''],
    ['repos/get-repo-rule-suites', '/*'],
    ['repos/get-repo-rule-suite', ''],
  ].map(([operationId = '', place = '']) => ({
    operationId,
    pointer: `${place}/repository_change`,
    reason: 'the change of a repository that rules were about: the public description knows moves of refs alone',
  })),
];

/** Differences between requests and a document, each with the test for it. */
export const differencesFromDocuments = [
  {
    operationIds: ['orgs/update-webhook'],
    document: 'Document 2, Organization webhooks: `events` and `active` have defaults, and updating overwrites the secret',
    reason:
      'what a request leaves out stays, as in the public API: its description repeats these defaults, and it applies ' +
      'none. A `config` without ' +
      'its secret removes the secret, as both say; without a `config`, the configuration stays with its secret',
    test:
      'test/resources/platform/webhooks/change.test.ts › a new configuration takes the place of the old one, its ' +
      'secret included; other changes leave it',
  },
] as const;

const covers = (pointer: string, place: string): boolean =>
  pointer.startsWith('**')
    ? place.endsWith(pointer.slice(2)) || place.includes(`${pointer.slice(2)}/`)
    : place === pointer || place.startsWith(`${pointer}/`);

/** Records which entries of a list were needed. */
export function registerOf(list: readonly Difference[], note: (entry: Difference) => void = () => undefined) {
  const needed = new Set<Difference>();
  return {
    /** Whether a problem at a location is an intended difference. Each matching entry then counts as needed. */
    allows({ operationId, pointer, vocabulary }: SchemaLocation): boolean {
      const place = pointer.replace(/\/\d+(?=\/|$)/g, '/*');
      const covering = list.filter(
        (entry) =>
          (entry.operationId === '*' || entry.operationId === operationId) &&
          (entry.vocabulary ?? vocabulary) === vocabulary &&
          covers(entry.pointer, place),
      );
      for (const entry of covering) {
        if (!needed.has(entry)) note(entry);
        needed.add(entry);
      }
      return covering.length > 0;
    },
    /**
     * The entries that no reply has needed so far in this process. After every operation has replied, each of them must be
     * removed.
     */
    neverNeeded: (): Difference[] => list.filter((entry) => !needed.has(entry)),
  };
}
