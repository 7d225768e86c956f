import type { Interpreter } from '#openapi/interpreters.ts';

export const interpreters: readonly Interpreter[] = [
  {
    reads: 'manifests and lockfiles in TOML, XML, JSON and lines',
    runs: 'worker',
    modules: [
      'parsers/cargo.ts',
      'parsers/dependency.ts',
      'parsers/go.ts',
      'parsers/maven.ts',
      'parsers/npm.ts',
      'parsers/pypi.ts',
    ],
    bounds: [
      'dependencies.fileSize',
      'dependencies.fileTime',
      'dependencies.ofFile',
      'interpreters.manifestValues',
      'interpreters.manifestDepth',
    ],
  },
  { reads: 'package URLs and versions', runs: 'steps', modules: ['package-urls.ts'], bounds: ['dependencies.nameLength'] },
];
