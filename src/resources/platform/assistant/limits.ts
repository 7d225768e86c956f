import { kibi, limitGroup, mebi, moreLimits, seconds } from '#lib/limits.ts';

export const spaceLimits = limitGroup('assistant', 'Assistant', {
  spaces: { value: 10_000, unit: 'count', fixed: true, of: 'spaces of one organization', past: '422' },
  collaborators: { value: 100, unit: 'count', fixed: true, of: 'collaborators of one space', past: '422' },
});

export const assistantReviewLimits = moreLimits('assistant', {
  concurrent: {
    value: 4,
    unit: 'count',
    of: 'reviews that one process has under way, one for each organization',
    past: 'further ones wait',
  },
  waiting: { value: 50, unit: 'count', of: 'reviews of one organization that wait', past: '422' },
  attempts: {
    value: 4,
    unit: 'count',
    of: 'attempts at one review',
    past: 'a review by the assistant says why it could not review',
  },
  replyTime: {
    value: 180 * seconds,
    unit: 'milliseconds',
    of: "the assistant's server to answer completely",
    past: 'the attempt has failed',
  },
  reply: { value: mebi, unit: 'bytes', of: "the reply of the assistant's server", past: 'the attempt has failed' },
  patches: {
    value: 256 * kibi,
    unit: 'count',
    of: 'characters of the diff of a pull request that are sent',
    past: 'further files are left out, and the review says so',
  },
  patch: {
    value: 64 * kibi,
    unit: 'count',
    of: "characters of one file's diff that are sent",
    past: 'the file is left out, and the review says so',
  },
  files: {
    value: 300,
    unit: 'count',
    of: 'files of a pull request that are sent',
    past: 'further files are left out, and the review says so',
  },
  contents: {
    value: 128 * kibi,
    unit: 'bytes',
    of: 'whole files that are sent beside their diffs, of at most a quarter of it each',
    past: 'the diffs of further files are sent alone',
  },
  comments: {
    value: 50,
    unit: 'count',
    of: 'comments of one review by the assistant',
    past: 'further ones are left out, and the review says so',
  },
  text: {
    value: 16 * kibi,
    unit: 'count',
    of: "characters of each text in the reply of the assistant's server",
    past: 'the reply is not used: the attempt has failed',
  },
});
