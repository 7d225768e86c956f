import { kibi, limitGroup, seconds } from '#lib/limits.ts';

export const registryLimits = limitGroup('registries', 'Private registries', {
  exchangeTime: {
    value: 10 * seconds,
    unit: 'milliseconds',
    of: "the exchange of a job's identity token for a credential of a registry",
    past: 'the job fails',
  },
  exchangeBytes: { value: 256 * kibi, unit: 'bytes', fixed: true, of: 'what is answered to that', past: 'the job fails' },
});
