import { kibi, limitGroup, mebi } from '#lib/limits.ts';

export const botLimits = limitGroup('dependencyBot', 'The dependency bot', {
  requestSize: {
    value: 256 * kibi,
    unit: 'bytes',
    fixed: true,
    of: 'what a job of the bot is asked for, compressed',
    past: 'the job is not made',
  },
  resultSize: {
    value: 900_000,
    unit: 'count',
    fixed: true,
    of: 'characters of the result of a job of the bot, which runners bound at 1 MiB',
    past: 'the job leaves updates out, and says so; the server refuses the result',
  },
  resultContent: {
    value: 16 * mebi,
    unit: 'bytes',
    fixed: true,
    of: 'the result of a job of the bot, decompressed',
    past: 'the job leaves updates out, and says so; the server refuses the result',
  },
  resultValues: {
    value: 100_000,
    unit: 'count',
    fixed: true,
    of: 'values in the result of a job of the bot',
    past: 'the server refuses the result',
  },
  resultDepth: {
    value: 10,
    unit: 'count',
    fixed: true,
    of: 'lists and objects inside each other in such a result',
    past: 'the server refuses the result',
  },
});
