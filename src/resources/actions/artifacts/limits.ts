import { kibi, limitGroup, mebi, minutes } from '#lib/limits.ts';

export const artifactLimits = limitGroup('results', 'Artifacts and caches of workflows', {
  artifacts: { value: 500, unit: 'count', fixed: true, of: 'artifacts of one job', past: 'further ones are refused' },
  artifactSize: { value: 10 * kibi * mebi, unit: 'bytes', of: 'an artifact', past: 'the upload is refused' },
  downloadTime: {
    value: 10 * minutes,
    unit: 'milliseconds',
    fixed: true,
    of: 'how long the address of an artifact is valid that a job requested',
    past: '404',
  },
});
