import { expect, test } from 'vitest';
import { asId } from '#lib/id.ts';
import { appliedRulesOf, type ProtectionRow } from '#resources/code/branch-protection/index.ts';
import type { ActorFacts } from '#resources/code/rulesets/applied-rule.ts';

const row: ProtectionRow = {
  id: asId<'branch_protections'>(7),
  repository_id: asId<'repositories'>(1),
  branch: 'main',
  enforce_admins: false,
  required_signatures: false,
  required_linear_history: false,
  required_conversation_resolution: false,
  allow_force_pushes: false,
  allow_deletions: false,
  block_creations: false,
  lock_branch: false,
  allow_fork_syncing: false,
  restricts_pushes: false,
  status_checks: null,
  reviews: null,
  actors: [],
  created_at: new Date(0),
  updated_at: new Date(0),
};

const reviews = {
  dismiss_stale_reviews: true,
  require_code_owner_reviews: true,
  require_last_push_approval: true,
  required_approving_review_count: 3,
  restricts_dismissals: false,
};

const writer: ActorFacts = {
  account: asId<'accounts'>(10),
  level: 3,
  isOwner: false,
  teams: new Set(),
  app: undefined,
  isDeployKey: false,
};
const admin = { ...writer, level: 5 };
const owner = { ...writer, level: 3, isOwner: true };
const inTeam = { ...writer, teams: new Set([asId<'teams'>(20)]) };
const bot = { ...writer, account: asId<'accounts'>(11), app: asId<'apps'>(30) };
const deployKey = { ...writer, account: undefined, isDeployKey: true };

const none = { user_id: null, team_id: null, app_id: null };
const actors = (list: ProtectionRow['actors'][number]['list']): ProtectionRow['actors'] => [
  { ...none, list, user_id: asId<'accounts'>(10) },
  { ...none, list, team_id: asId<'teams'>(20) },
  { ...none, list, app_id: asId<'apps'>(30) },
];

/** Type and bypass of each rule. */
const rulesFor = (settings: Partial<ProtectionRow>, facts: ActorFacts) =>
  appliedRulesOf({ ...row, allow_force_pushes: true, allow_deletions: true, ...settings }, facts).map(({ rule, bypass }) => [
    rule.type,
    bypass,
  ]);

test('a protection without any demand refuses force pushes and deletions to everybody', () => {
  for (const facts of [writer, admin, owner, bot, deployKey])
    expect(appliedRulesOf(row, facts)).toEqual(
      (['non_fast_forward', 'deletion'] as const).map((type) => ({
        rule: { type },
        source: { type: 'ProtectedBranch', id: 7, name: 'main' },
        enforcement: 'active',
        bypass: 'never',
      })),
    );
  expect(rulesFor({}, writer)).toEqual([]);
});

test.each([
  ['required_linear_history', { required_linear_history: true }],
  ['required_signatures', { required_signatures: true }],
  ['required_conversation_resolution', { required_conversation_resolution: true }],
  ['pull_request', { reviews }],
  ['required_status_checks', { status_checks: { strict: false, checks: [] } }],
  ['update', { lock_branch: true }],
  ['update', { restricts_pushes: true }],
] as [string, Partial<ProtectionRow>][])('%s holds for all but administrators, for whom it may be enforced', (type, settings) => {
  for (const facts of [writer, inTeam, bot, deployKey]) expect(rulesFor(settings, facts)).toEqual([[type, 'never']]);
  for (const facts of [admin, owner]) {
    expect(rulesFor(settings, facts)).toEqual([[type, 'always']]);
    expect(rulesFor({ ...settings, enforce_admins: true }, facts)).toEqual([[type, 'never']]);
  }
});

test.each([
  ['push', { restricts_pushes: true, block_creations: true }, ['update', 'creation']],
  ['bypass', { reviews }, ['pull_request']],
] as [ProtectionRow['actors'][number]['list'], Partial<ProtectionRow>, string[]][])(
  'those whom the list %s names are free of its rules, even where administrators are not',
  (list, settings, types) => {
    const [user, team, app] = actors(list);
    const held = (named: typeof user, facts: ActorFacts) =>
      rulesFor({ ...settings, enforce_admins: true, actors: named ? [named] : [] }, facts);
    const all = (bypass: string) => types.map((type) => [type, bypass]);
    expect(held(user, writer)).toEqual(all('always'));
    expect(held(team, inTeam)).toEqual(all('always'));
    expect(held(app, bot)).toEqual(all('always'));
    expect(held(team, writer)).toEqual(all('never'));
    expect(held(user, bot)).toEqual(all('never'));
    expect(held(app, writer)).toEqual(all('never'));
    for (const named of [user, team, app]) expect(held(named, deployKey)).toEqual(all('never'));
    expect(held(user, admin)).toEqual(all('always'));
    expect(rulesFor({ ...settings, actors: actors('dismissal') }, writer)).toEqual(all('never'));
  },
);

test('a locked branch stays locked for those who may push', () => {
  const settings = { lock_branch: true, restricts_pushes: true, actors: actors('push') };
  expect(rulesFor(settings, writer)).toEqual([
    ['update', 'always'],
    ['update', 'never'],
  ]);
});

test('creations are refused only where pushes are restricted', () => {
  expect(rulesFor({ block_creations: true }, writer)).toEqual([]);
});

test('what is demanded of reviews, checks and forks becomes parameters', () => {
  const settings = {
    ...row,
    lock_branch: true,
    allow_fork_syncing: true,
    reviews: { ...reviews, restricts_dismissals: true },
    status_checks: {
      strict: true,
      checks: [
        { context: 'build', app_id: null },
        { context: 'test', app_id: 30 },
      ],
    },
    actors: actors('dismissal'),
  };
  const rules = appliedRulesOf(settings, writer).map(({ rule }) => rule);
  expect(rules).toContainEqual({ type: 'update', parameters: { update_allows_fetch_and_merge: true } });
  expect(rules).toContainEqual({
    type: 'pull_request',
    parameters: {
      dismiss_stale_reviews_on_push: true,
      require_code_owner_review: true,
      require_last_push_approval: true,
      required_approving_review_count: 3,
      required_review_thread_resolution: false,
      dismissal_restriction: {
        enabled: true,
        allowed_actors: [
          { type: 'User', id: 10 },
          { type: 'Team', id: 20 },
          { type: 'IntegrationInstallation', id: 30 },
        ],
      },
    },
  });
  expect(rules).toContainEqual({
    type: 'required_status_checks',
    parameters: {
      do_not_enforce_on_create: true,
      strict_required_status_checks_policy: true,
      required_status_checks: [
        { context: 'build', integration_id: null },
        { context: 'test', integration_id: 30 },
      ],
    },
  });
});
