import { limitGroup } from '#lib/limits.ts';

export const reviewerLimits = limitGroup('reviewers', 'Reviewers of pull requests', {
  atOnce: { value: 15, unit: 'count', fixed: true, of: 'people and teams that one request asks for a review', past: '422' },
  requests: {
    value: 100,
    unit: 'count',
    fixed: true,
    of: 'people and teams that are asked to review one pull request',
    past: '422; no review is requested from further code owners',
  },
});

export const mergeTestLimits = limitGroup('mergeTests', 'Test merges', {
  perPush: {
    value: 50,
    unit: 'count',
    of: 'open pull requests whose merge is tested immediately after a push to their base, the most recently changed first',
    past: 'the others are tested a few seconds later, once for all pushes until then',
  },
});
