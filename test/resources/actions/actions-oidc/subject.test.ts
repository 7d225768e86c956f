import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JobClaims, type SubjectTemplate, subjectOf } from '#resources/actions/actions-oidc/index.ts';

const repository = { id: 2, name: 'engine', owner: { id: 1, login: 'acme' } };
const job: JobClaims = {
  repository,
  eventName: 'push',
  ref: 'refs/heads/main',
  others: { actor: 'ada', workflow: 'Build: all', job_workflow_ref: 'acme/ci/.github/workflows/a.yml@refs/heads/main' },
};
const template = (claimKeys: readonly string[], more: Partial<SubjectTemplate> = {}): SubjectTemplate => ({
  claimKeys,
  isImmutable: false,
  properties: { repo_property_stage: 'production', repo_property_teams: ['a', 'b:c'] },
  ...more,
});

test.each([
  [['repo', 'context'], {}, 'repo:acme/engine:ref:refs/heads/main'],
  [['repo', 'context'], { eventName: 'pull_request', ref: 'refs/pull/1/merge' }, 'repo:acme/engine:pull_request'],
  [['repo', 'context'], { eventName: 'pull_request', environment: 'prod:eu' }, 'repo:acme/engine:environment:prod%3Aeu'],
  [['actor', 'repo'], {}, 'actor:ada:repo:acme/engine'],
  [['workflow', 'head_ref'], {}, 'workflow:Build%3A all:head_ref:'],
  [['job_workflow_ref'], {}, 'job_workflow_ref:acme/ci/.github/workflows/a.yml@refs/heads/main'],
  [['repo_property_stage', 'repo_property_teams'], {}, 'repo_property_stage:production:repo_property_teams:a,b%3Ac'],
] as const)('the claims %o, with %o, make %s', (keys, more, expected) => {
  expect(subjectOf(template(keys), { ...job, ...more })).toBe(expected);
});

test('an immutable subject has the ids of the owner and of the repository', () => {
  const subject = subjectOf(template(['repo', 'context'], { isImmutable: true }), job);
  expect(subject).toBe('repo:acme@1/engine@2:ref:refs/heads/main');
});

test('no value makes a subject that another value makes', () => {
  const value = fc.string({ unit: fc.constantFrom('a', ':', 'actor', 'workflow') });
  const keys = ['actor', 'workflow', 'head_ref'];
  const subject = ([actor = '', workflow = '', head_ref = '']: readonly string[]) =>
    subjectOf(template(keys), { ...job, others: { actor, workflow, head_ref } });
  fc.assert(
    fc.property(fc.tuple(value, value, value), fc.tuple(value, value, value), (one, other) => {
      expect(subject(one) === subject(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
  );
});
