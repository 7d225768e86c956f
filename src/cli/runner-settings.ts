// The settings of the machines of hosted runners.
import { networks } from '#runner-providers/namespaces/sandbox.ts';
import { addressRanges, asPath, folderPaths, oneOf } from './setting-values.ts';

export const runnerSettings = {
  runnerProvider: {
    flag: '--runner-provider <name>',
    variable: 'HEARTH_RUNNER_PROVIDER',
    initial: 'none',
    parse: oneOf('none', 'process', 'namespaces'),
    about:
      'what makes the machines of hosted runners: none, process (a folder of this machine for each; isolates nothing), or ' +
      'namespaces (a sandbox on this machine for each job)',
  },
  runnerNetwork: {
    flag: '--runner-network <name>',
    variable: 'HEARTH_RUNNER_NETWORK',
    initial: 'internet',
    parse: oneOf(...networks),
    about:
      'with namespaces, what jobs reach: internet (this server, and public addresses by a proxy), hearth (this server alone), ' +
      'or host (all that this machine reaches, its own services included)',
  },
  runnerAllow: {
    flag: '--runner-allow <ranges>',
    variable: 'HEARTH_RUNNER_ALLOW',
    parse: addressRanges,
    about: 'with namespaces, address ranges that jobs reach in addition, at any port, as 10.0.0.0/8',
  },
  runnerTools: {
    flag: '--runner-tools <folders>',
    variable: 'HEARTH_RUNNER_TOOLS',
    parse: folderPaths,
    about: 'with namespaces, folders that jobs can read besides /usr, as /opt/hostedtoolcache,/nix/store',
  },
  runnerProgram: {
    flag: '--runner-program <file>',
    variable: 'HEARTH_RUNNER_PROGRAM',
    parse: asPath,
    about: 'program that runs the jobs of hosted runners on their machines, as act_runner; omitted: they run none',
  },
} as const;
