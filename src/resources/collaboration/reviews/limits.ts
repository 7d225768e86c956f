import { kibi, limitGroup } from '#lib/limits.ts';

export const reviewLimits = limitGroup('reviews', 'Reviews of pull requests', {
  comments: { value: 300, unit: 'count', fixed: true, of: 'comments that a review is made with', past: '422' },
  hunk: {
    value: 64 * kibi,
    unit: 'count',
    fixed: true,
    of: 'characters of the diff that a comment of a review shows',
    past: 'lines between the header and the commented line are left out',
  },
  shownComments: {
    value: 300,
    unit: 'count',
    fixed: true,
    of: 'comments in the lines of the diff of a pull request on its page, the oldest first',
    past: 'further ones are left out, with a word about it',
  },
  timeline: {
    value: 50,
    unit: 'count',
    fixed: true,
    of: 'replies of one conversation that a timeline shows',
    past: 'further ones are in the list of comments',
  },
});
