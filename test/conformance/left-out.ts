/** Something that requests may contain in the public API, but not in Hearth. */
export type LeftOut = {
  readonly operationIds: readonly string[];
  /**
   * In the notation of `requests.test.ts`: `?/name` is a parameter, `/name=value` a value, and a name with `!` is required only
   * here.
   */
  readonly places: readonly string[];
  readonly reason: string;
  /**
   * Set if a request may contain it without an effect. The reason explains why nobody is misled. Otherwise the declaration
   * refuses the field or parameter (`Refused`).
   */
  readonly ignored?: true;
};

const withReasons = (name: string, ...parts: readonly string[]): string[] => parts.map((part) => `/${name}/*/${part}`);
const ofSuggestions = ['rationale', 'confidence'] as const;

/** All of it, with reasons. Nothing that Hearth accepts may be listed here. */
export const leftOut: readonly LeftOut[] = [
  {
    operationIds: ['code-quality/update-setup'],
    places: ['/ai_findings_option'],
    reason: 'no part of the server makes findings by AI; that there are none may be said',
  },
  {
    operationIds: ['dependabot/create-or-update-repo-secret'],
    places: ['/encrypted_value!', '/key_id!'],
    reason: 'of a repository, a secret has nothing but its value',
  },
  {
    operationIds: ['secret-scanning/update-org-pattern-configs'],
    places: ['provider_pattern_settings', 'custom_pattern_settings'].flatMap((name) =>
      withReasons(name, 'token_type!', 'push_protection_setting!'),
    ),
    reason: 'a setting without its pattern, or without what is wanted of it, says nothing',
  },
  {
    operationIds: ['code-security/set-configuration-as-default'],
    places: ['/default_for_new_repos!'],
    reason: 'a request without it says nothing',
  },
  {
    operationIds: ['apps/create-installation-access-token'],
    places: ['/permissions/enterprise_custom_properties_for_organizations'],
    ignored: true,
    reason: 'there are no enterprises, to which this permission belongs',
  },
  {
    operationIds: ['copilot-spaces/create-for-org', 'copilot-spaces/update-for-org'],
    places: ['/resources_attributes'],
    reason: 'resources of spaces are for an assistant that reads them, and none is part of Hearth',
  },
  {
    operationIds: ['billing/create-organization-budget'],
    places: ['/budget_amount!', '/budget_product_sku!', '/budget_type!'],
    reason: 'a budget is an amount for something; the public API names no default for either',
  },
  {
    operationIds: ['billing/update-budget-org'],
    places: ['/budget_scope=cost_center', '/budget_scope=enterprise'],
    reason: 'there are no enterprises, which have cost centers',
  },
  {
    operationIds: ['issues/create', 'issues/update'],
    places: ['/type'],
    reason: 'Hearth has no types of issues',
  },
  {
    operationIds: ['issues/create', 'issues/update'],
    places: ['/labels/*/id', '/labels/*/description', '/labels/*/color', '/labels/*/name!'],
    ignored: true,
    reason:
      'a label is found by its name; the public API makes no use of what else an object of one says, which its replies have',
  },
  {
    operationIds: ['issues/update', 'issues/add-labels'],
    places: withReasons('labels', ...ofSuggestions),
    ignored: true,
    reason: 'they belong to suggestions that wait for somebody’s word, and Hearth has none: `suggest` is refused',
  },
  {
    operationIds: ['issues/update', 'issues/add-assignees'],
    places: withReasons('assignees', ...ofSuggestions),
    ignored: true,
    reason: 'as for labels',
  },
  {
    operationIds: ['issues/update'],
    places: withReasons('issue_field_values', 'suggest', ...ofSuggestions),
    ignored: true,
    reason: 'as for labels; document 2 knows `field_id` and `value` alone, and others are refused',
  },
  {
    operationIds: ['issues/update'],
    places: ['/assignees/*/login!'],
    reason: 'an assignee is named by a login, as the description of the other requests says',
  },
  {
    operationIds: ['checks/update'],
    places: ['/status=waiting', '/status=requested', '/status=pending'],
    reason: 'the vendor’s own runs of workflows alone may have these, as the description says in words',
  },
  {
    operationIds: ['repos/create-deployment-protection-rule'],
    places: ['/integration_id!'],
    reason: 'a rule is that of an app, and the public API refuses one without it',
  },
  {
    operationIds: ['repos/create-or-update-environment'],
    places: ['/reviewers/*/type!', '/reviewers/*/id!'],
    reason: 'a reviewer is named by both, and the public API refuses one without them',
  },
  {
    operationIds: ['git/create-tree'],
    places: ['/tree/*/path!', '/tree/*/mode!'],
    reason: 'an entry of a tree has both, and the public API refuses one without them',
  },
  {
    operationIds: ['repos/create-webhook'],
    places: ['/config!', '/config/url!'],
    reason: 'a webhook has an address, as the description says in words',
  },
  {
    operationIds: ['repos/update-webhook'],
    places: ['/config/url!'],
    reason: 'a configuration replaces the former one whole, and has an address',
  },
  {
    operationIds: ['actions/create-hosted-runner-for-org'],
    places: ['/image/id!', '/image/source!'],
    reason: 'document 2 demands them: an image is named by both',
  },
  {
    operationIds: ['orgs/custom-properties-for-repos-create-or-update-organization-definitions'],
    places: ['/properties/*/source_type', '/properties/*/url'],
    ignored: true,
    reason: 'replies have them, and what a request says of them changes nothing',
  },
  {
    operationIds: ['dependabot/list-alerts-for-org', 'dependabot/list-alerts-for-repo'],
    places: ['?/epss_percentage', '?/sort=epss_percentage'],
    reason: 'files of advisories have no forecasts of their exploitation',
  },
  {
    operationIds: ['dependabot/list-alerts-for-org'],
    places: ['?/artifact_registry', '?/artifact_registry_url', '?/runtime_risk'],
    reason: 'Hearth knows of no deployments of artifacts in other systems',
  },
  {
    operationIds: ['dependabot/update-alert'],
    places: ['/agent_assignment'],
    reason: 'Hearth has no agents to whom alerts could be assigned',
  },
  {
    operationIds: ['secret-scanning/list-alerts-for-org', 'secret-scanning/list-alerts-for-repo'],
    places: ['?/owner_email_hash'],
    reason: 'what a provider knows of a secret: none is asked, so that no alert has it',
  },
  {
    operationIds: ['secret-scanning/list-alerts-for-org', 'secret-scanning/list-alerts-for-repo'],
    places: ['?/included_metadata'],
    ignored: true,
    reason: 'it adds what a provider knows of a secret to the reply: none is asked, so that no alert has it',
  },
  {
    operationIds: ['repos/update-release-asset'],
    places: ['/state'],
    reason: 'a file is uploaded or isn’t, whatever a client says of it',
  },
  {
    operationIds: ['actions/re-run-job-for-workflow-run'],
    places: ['/enable_debugger'],
    reason: 'no runner that speaks the protocol has a debugger',
  },
  {
    operationIds: ['enterprise-admin/unsuspend-user'],
    places: ['/reason'],
    ignored: true,
    reason: 'nothing shows it: for a suspension, it is taken and not kept either',
  },
];
