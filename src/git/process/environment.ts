import { hiddenRefs } from '../refs/ref-name.ts';
import type { Quarantine } from '../repo.ts';

/** The variables of Hearth's environment that git inherits: paths of programs and certificates, and proxies. */
const inheritedNames = [
  'PATH',
  'TMPDIR',
  'LD_LIBRARY_PATH',
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'no_proxy',
  'NO_PROXY',
  'all_proxy',
  'ALL_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
];

/** The part of an environment that git inherits. */
export function inheritedEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of inheritedNames) {
    const value = env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

// Harmless errors that old tools wrote into many histories. Other hosts accept them too.
const toleratedFaults = ['zeroPaddedFilemode', 'missingSpaceBeforeDate', 'badTimezone'];

/** The configuration of every git process. Only Hearth writes the config files of repositories. */
const fixedConfig: [string, string][] = [
  ['core.hooksPath', '/dev/null'],
  // Objects, packs and refs are synced to disk before git reports success.
  ['core.fsync', 'all'],
  ['core.fsyncMethod', 'fsync'],
  // A mounted volume may have another owner.
  ['safe.directory', '*'],
  ['core.filesRefLockTimeout', '5000'],
  ['core.packedRefsTimeout', '5000'],
  // Larger files are streamed: git doesn't read them into memory, diff them or store them as deltas.
  ['core.bigFileThreshold', '32m'],
  // These caches fit within the memory limits (git.commandMemory, git.transferMemory).
  ['core.deltaBaseCacheLimit', '32m'],
  ['core.packedGitWindowSize', '256m'],
  ['core.packedGitLimit', '4g'],
  ['pack.windowMemory', '64m'],
  ['pack.deltaCacheSize', '64m'],
  ['pack.threads', '2'],
  // The time of rename detection grows with the square of the number of files.
  ['diff.renameLimit', '400'],
  ['merge.renameLimit', '400'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['receive.autogc', 'false'],
  ['receive.fsckObjects', 'true'],
  ['fetch.fsckObjects', 'true'],
  ...toleratedFaults.flatMap((fault): [string, string][] => [
    [`receive.fsck.${fault}`, 'ignore'],
    [`fetch.fsck.${fault}`, 'ignore'],
  ]),
  ['receive.advertiseAtomic', 'true'],
  ['receive.advertisePushOptions', 'true'],
  ['transfer.advertiseSID', 'false'],
  ['transfer.hideRefs', hiddenRefs.always],
  // Clients can fetch the refs of pull requests, but only Hearth moves them.
  ['receive.hideRefs', hiddenRefs.fromPushes],
  ['uploadpack.allowFilter', 'true'],
  // Protocol 2 serves any object of a repository by its full name. With this setting, protocol 0 serves all reachable ones.
  // Repositories don't share objects, so no object of another repository is served.
  ['uploadpack.allowReachableSHA1InWant', 'true'],
];

/** The environment of one git process. */
export function gitEnvironment(given: {
  inherited: Readonly<Record<string, string>>;
  repo?: { path: string; quarantine?: Quarantine | undefined };
  config?: readonly (readonly [string, string])[];
}): Record<string, string> {
  const config = [...fixedConfig, ...(given.config ?? [])];
  const env: Record<string, string> = {
    ...given.inherited,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    // A pushed refs/replace/… must not replace objects.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_CONFIG_COUNT: String(config.length),
  };
  for (const [index, [key, value]] of config.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  if (given.repo) env.GIT_DIR = given.repo.path;
  if (given.repo?.quarantine) {
    env.GIT_OBJECT_DIRECTORY = given.repo.quarantine.objects;
    env.GIT_ALTERNATE_OBJECT_DIRECTORIES = given.repo.quarantine.alternates;
  }
  return env;
}
