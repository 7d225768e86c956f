import { mebi, minutes, moreLimits, seconds } from '#lib/limits.ts';

export const workflowLimits = moreLimits('workflows', {
  readingTime: {
    value: 2 * seconds,
    unit: 'milliseconds',
    fixed: true,
    of: 'reading the workflow files of one commit, while other repositories wait',
    past: 'a job of its own reads them',
  },
  files: { value: 200, unit: 'count', fixed: true, of: 'workflow files of one commit', past: 'further ones are not read' },
  originTransfers: {
    value: 64,
    unit: 'count',
    of: 'requests for actions that one process passes on to their origin at once',
    past: 'further ones wait',
  },
  originTransfersPerCaller: { value: 32, unit: 'count', of: 'such requests of one caller', past: 'further ones wait' },
  originTransfersAnonymous: {
    value: 32,
    unit: 'count',
    of: 'such requests of all who are not signed in',
    past: 'further ones wait',
  },
  originTransfersPerAddress: {
    value: 8,
    unit: 'count',
    of: 'such requests of one address that is not signed in',
    past: 'further ones wait',
  },
  originRequest: { value: 4 * mebi, unit: 'bytes', of: 'what a client asks the origin of actions for', past: '413' },
  originBytes: {
    value: 1024 * mebi,
    unit: 'bytes',
    of: 'what the origin of actions answers',
    past: '502, or the transfer is ended',
  },
  originSilence: {
    value: minutes,
    unit: 'milliseconds',
    of: 'the time in which nothing comes from the origin of actions',
    past: '502, or the transfer is ended',
  },
  originTime: {
    value: 15 * minutes,
    unit: 'milliseconds',
    of: 'the time that an answer of the origin of actions takes',
    past: 'the transfer is ended',
  },
});
