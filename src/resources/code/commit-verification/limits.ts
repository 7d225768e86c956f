import { moreLimits } from '#lib/limits.ts';

export const verificationLimits = moreLimits('repositories', {
  verifiedCommits: {
    value: 2_000,
    unit: 'count',
    fixed: true,
    of: 'the latest commits of a push whose signatures are verified at once',
    past: 'older ones are verified when they are first read',
  },
});
