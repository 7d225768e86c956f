import type { Interpreter } from '#openapi/interpreters.ts';

export const interpreters: readonly Interpreter[] = [
  {
    reads: 'addresses of submodules (`.gitmodules`)',
    runs: 'steps',
    modules: ['submodules.ts'],
    bounds: ['256 KiB of the file'],
  },
  { reads: 'what was stored of bodies and events as JSON', runs: 'steps', modules: ['archive-address.ts'], bounds: [] },
];
