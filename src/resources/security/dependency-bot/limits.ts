import { kibi, limitGroup, mebi, minutes, seconds } from '#lib/limits.ts';

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
    value: 500_000,
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
  configSize: {
    value: 256 * kibi,
    unit: 'bytes',
    fixed: true,
    of: 'the configuration file of the bot',
    past: 'it has no effect',
  },
  configTime: {
    value: 3 * seconds,
    unit: 'milliseconds',
    fixed: true,
    of: 'the processor time in which the configuration file of the bot is read, by a worker thread',
    past: 'it has no effect',
  },
  scheduleLength: {
    value: 256,
    unit: 'count',
    fixed: true,
    of: 'characters of a line of cron in the configuration file of the bot',
    past: 'the entry has no effect',
  },
  schedulePause: {
    value: 60 * minutes,
    unit: 'milliseconds',
    fixed: true,
    of: 'the time between two searches for version updates by one entry',
    past: 'a line of cron with shorter pauses runs once in this time',
  },
});
