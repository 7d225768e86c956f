// Lists, inboxes, and the number of items that an issue or a repository may have.
import { type LimitGroup, mebi } from './limit.ts';

export const lists = {
  labels: { value: 50, unit: 'count', of: 'labels that one list of issues asks for', past: '422' },
  fields: { value: 10, unit: 'count', of: 'fields whose values one list of issues asks for', past: '422' },
  tokenRepositories: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'repositories that a fine-grained token is limited to',
    past: '422',
  },
  rows: {
    value: 100_000,
    unit: 'count',
    fixed: true,
    of: 'rows of a list that its pages reach',
    past: 'further pages are empty',
  },
} as const satisfies LimitGroup;

export const issues = {
  labels: { value: 100, unit: 'count', fixed: true, of: 'labels of one issue', past: '422' },
  assignees: { value: 100, unit: 'count', fixed: true, of: 'assignees of one issue', past: '422' },
  mentions: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'people and teams that one text mentions',
    past: 'further ones are not told of it',
  },
  references: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'issues, and commits, that one text refers to',
    past: 'further ones have no event, and are not closed',
  },
  subIssues: { value: 100, unit: 'count', fixed: true, of: 'sub-issues of one issue', past: '422' },
  subIssueLevels: { value: 8, unit: 'count', fixed: true, of: 'levels of sub-issues below one issue', past: '422' },
  dependencies: { value: 50, unit: 'count', fixed: true, of: 'issues that block one, and issues that one blocks', past: '422' },
  pushedCommits: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'commits of one push whose messages are read for references, from the latest back',
    past: 'earlier ones are not read',
  },
  pushedReferences: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'references in the messages of one push',
    past: 'those of further commits have no event',
  },
} as const satisfies LimitGroup;

export const repositories = {
  properties: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'custom properties of the repositories of one organization',
    past: '422',
  },
  allowedPropertyValues: { value: 200, unit: 'count', fixed: true, of: 'allowed values of a custom property', past: '422' },
  propertyRepositories: {
    value: 30,
    unit: 'count',
    fixed: true,
    of: 'repositories of which one request sets values of custom properties',
    past: '422',
  },
  securityConfigurations: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'code security configurations of one organization',
    past: '422',
  },
  autolinks: { value: 500, unit: 'count', fixed: true, of: 'autolinks of one repository', past: '422' },
  capBypasses: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'users of one repository for whom its cap on open pull requests does not hold',
    past: '422',
  },
  protections: { value: 1_000, unit: 'count', fixed: true, of: 'protected branches of one repository', past: '422' },
  protectionActors: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'people, teams and apps in one list of a branch protection',
    past: '422',
  },
  protectionChecks: { value: 100, unit: 'count', fixed: true, of: 'status checks that one branch requires', past: '422' },
  statuses: { value: 1_000, unit: 'count', fixed: true, of: 'statuses of one commit with the same context', past: '422' },
  verifiedCommits: {
    value: 2_000,
    unit: 'count',
    fixed: true,
    of: 'the latest commits of a push whose signatures are verified at once',
    past: 'older ones are verified when they are first read',
  },
} as const satisfies LimitGroup;

export const rules = {
  rulesets: { value: 75, unit: 'count', fixed: true, of: 'rulesets of one repository, and of one organization', past: '422' },
  rules: { value: 100, unit: 'count', fixed: true, of: 'rules of one ruleset', past: '422' },
  bypassActors: { value: 100, unit: 'count', fixed: true, of: 'actors that bypass one ruleset', past: '422' },
  patterns: {
    value: 250,
    unit: 'count',
    fixed: true,
    of: 'patterns, ids or properties in each list of the conditions of a ruleset',
    past: '422',
  },
} as const satisfies LimitGroup;

export const checks = {
  runs: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'check runs of one suite with the same name',
    past: 'the oldest are removed',
  },
  suites: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'check suites of one commit whose runs are listed together, from the latest back',
    past: 'runs of earlier ones are listed by suite alone',
  },
  annotations: { value: 50, unit: 'count', fixed: true, of: 'annotations of a check run in one request', past: '422' },
} as const satisfies LimitGroup;

export const reviewers = {
  atOnce: { value: 15, unit: 'count', fixed: true, of: 'people and teams that one request asks for a review', past: '422' },
  requests: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'people and teams that are asked to review one pull request',
    past: '422; further code owners are not asked',
  },
  codeOwnersFile: { value: 3 * mebi, unit: 'bytes', fixed: true, of: 'a file of code owners', past: 'the file is not used' },
  codeOwnersWords: {
    value: 20_000,
    unit: 'count',
    fixed: true,
    of: 'patterns and owners, taken together, in a file of code owners',
    past: 'the file is not used',
  },
  codeOwnersLine: {
    value: 500,
    unit: 'count',
    fixed: true,
    of: 'characters that an error of a file of code owners shows of its line',
    past: 'it is cut around the error',
  },
  codeOwnersErrors: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'errors of a file of code owners that are listed',
    past: 'further ones are left out',
  },
} as const satisfies LimitGroup;

export const accounts = {
  emails: { value: 50, unit: 'count', fixed: true, of: 'e-mail addresses of one account', past: '422' },
  gpgKeys: { value: 50, unit: 'count', fixed: true, of: 'OpenPGP keys of one account', past: '422' },
  signingKeys: { value: 50, unit: 'count', fixed: true, of: 'SSH keys of one account that sign commits', past: '422' },
  securityTeams: {
    value: 10,
    unit: 'count',
    fixed: true,
    of: 'teams of one organization with the role `security_manager`',
    past: '422',
  },
  invitations: {
    value: 500,
    unit: 'count',
    fixed: true,
    of: 'invitations into one organization in 24 hours',
    past: '429 with Retry-After',
  },
} as const satisfies LimitGroup;

export const notifications = {
  markedAtOnce: {
    value: 1_000,
    unit: 'count',
    of: 'notifications that one request marks as read',
    past: '202, and they are marked in the background',
  },
  pushedCommits: {
    value: 100,
    unit: 'count',
    of: 'commits of one push that are told to those whom their messages mention, from the latest back',
    past: 'nobody is told of earlier ones',
  },
} as const satisfies LimitGroup;

export const environments = {
  branchPolicies: { value: 200, unit: 'count', fixed: true, of: 'patterns of branches and tags of one environment', past: '422' },
  apps: { value: 6, unit: 'count', fixed: true, of: 'apps that deployments into one environment wait for', past: '422' },
} as const satisfies LimitGroup;

export const deployments = {
  payload: { value: 65_536, unit: 'count', fixed: true, of: 'characters of the payload of one deployment', past: '422' },
  contexts: { value: 100, unit: 'count', fixed: true, of: 'contexts that one deployment asks for', past: '422' },
  deactivated: {
    value: 1_000,
    unit: 'count',
    fixed: true,
    of: 'earlier deployments that become inactive with one status, from the latest back',
    past: 'the others stay active until the next one',
  },
} as const satisfies LimitGroup;

export const actionsSettings = {
  retentionDays: {
    value: 400,
    unit: 'count',
    fixed: true,
    of: 'days for which artifacts and logs are kept, as a setting asks for',
    past: '422',
  },
  cacheRetentionDays: {
    value: 365,
    unit: 'count',
    fixed: true,
    of: 'days for which unused caches are kept, as a setting asks for',
    past: '422',
  },
  cacheSize: {
    value: 10_000,
    unit: 'count',
    fixed: true,
    of: 'gibibytes of the caches of one repository, as a setting asks for',
    past: '422',
  },
  patterns: { value: 1_000, unit: 'count', fixed: true, of: 'patterns of allowed actions in one list', past: '422' },
  patternLength: { value: 255, unit: 'count', fixed: true, of: 'characters of a pattern of allowed actions', past: '422' },
  claimKeys: { value: 50, unit: 'count', fixed: true, of: 'claims in the subject of an identity token', past: '422' },
} as const satisfies LimitGroup;
