/**
 * A push of many files with push protection and without it, alternating: elapsed time, and processor time of the server with its
 * git and PostgreSQL.
 *
 *     npx node bench/secret-scanning/push.ts [--files 10000] [--bytes 2000] [--rounds 5]
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { median, printTable } from '../search/measure.ts';
import { processorTimeOf, processorTimeOfOne } from '../support/processes.ts';
import { commitOf, openStage } from './stage.ts';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10000' },
    bytes: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '5' },
  },
});
const [files, bytes, rounds] = [Number(values.files), Number(values.bytes), Number(values.rounds)];

await using stage = await openStage();
const enabled = { status: 'enabled' };
const repositories = ['free', 'protected'] as const;
const addresses = new Map<string, string>();
for (const name of repositories) {
  const { full_name = '' } = await stage.call('POST', '/user/repos', { name });
  addresses.set(name, stage.addressOf(full_name));
  if (name === 'protected')
    await stage.call('PATCH', `/repos/${full_name}`, {
      security_and_analysis: { secret_scanning: enabled, secret_scanning_push_protection: enabled },
    });
}

type Took = { clock: number[]; processor: number[]; own: number[] };
const took: Record<(typeof repositories)[number], Took> = {
  free: { clock: [], processor: [], own: [] },
  protected: { clock: [], processor: [], own: [] },
};
for (let round = 0; round <= rounds; round++) {
  await stage.git(['fast-import', '--quiet', '--force'], commitOf('main', round, { files, bytes }));
  // The first one changes from round to round. The first round is a warm-up.
  for (const name of round % 2 === 0 ? repositories : repositories.toReversed()) {
    const before = [await processorTimeOf(stage.pid), await processorTimeOfOne(stage.pid)] as const;
    const start = performance.now();
    await stage.git(['push', '-q', addresses.get(name) ?? '', 'main']);
    const clock = performance.now() - start;
    const processor = (await processorTimeOf(stage.pid)) - before[0];
    const own = (await processorTimeOfOne(stage.pid)) - before[1];
    if (round > 0) {
      took[name].clock.push(clock);
      took[name].processor.push(processor);
      took[name].own.push(own);
    }
  }
}
const row = (what: string, of: (one: Took) => number[]) => {
  const [free, checked] = [median(of(took.free)), median(of(took.protected))];
  return [what, ...[free, checked, checked - free].map((value) => `${Math.round(value)} ms`)];
};
printTable(
  [`${files} files of ${bytes} bytes`, 'without', 'protected', 'more'],
  [
    row('by the clock', ({ clock }) => clock),
    row('processor time', ({ processor }) => processor),
    row('of the server alone', ({ own }) => own),
  ],
);
process.stdout.write(
  `load of the machine: ${loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')}\n`,
);
