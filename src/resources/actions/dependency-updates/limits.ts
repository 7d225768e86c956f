import { kibi, limitGroup, minutes } from '#lib/limits.ts';

export const updateLimits = limitGroup('dependencyUpdates', 'Updates of dependencies', {
  jobTime: {
    value: 30 * minutes,
    unit: 'milliseconds',
    fixed: true,
    of: 'the time of a job that looks for updates',
    past: 'the job is cancelled',
  },
  securityPulls: {
    value: 10,
    unit: 'count',
    fixed: true,
    of: 'open pull requests of a repository that mend vulnerabilities',
    past: 'further ones wait until some are closed',
  },
  openPulls: {
    value: 500,
    unit: 'count',
    fixed: true,
    of: 'open pull requests of the bot in a repository',
    past: 'further ones wait until some are closed',
  },
  pullDependencies: {
    value: 128 * kibi,
    unit: 'count',
    fixed: true,
    of: 'characters of the names and versions that one pull request of the bot updates',
    past: 'the update is left out, and the reason is kept',
  },
  running: {
    value: 50,
    unit: 'count',
    fixed: true,
    of: 'searches for updates of a repository that have not ended',
    past: 'further ones begin when some have ended',
  },
  directories: {
    value: 50,
    unit: 'count',
    fixed: true,
    of: 'directories in which one entry of a configuration file looks for version updates',
    past: 'further ones are left out, and `hearth explain UPDATES` says so',
  },
  files: {
    value: 100_000,
    unit: 'count',
    fixed: true,
    of: 'files of a branch among which patterns of directories find manifests',
    past: 'further ones are not looked at',
  },
  keptUpdates: {
    value: 30 * 24 * 60 * minutes,
    unit: 'milliseconds',
    fixed: true,
    of: 'the time for which ended searches for updates are kept',
    past: 'they are deleted',
  },
});
