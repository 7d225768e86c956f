/** A worker in a separate process that will be killed. */
import { startWorker } from '#jobs/worker.ts';
import { openForBench } from '../support/hearth.ts';

const [address = '', folder = ''] = process.argv.slice(2);
const hearth = await openForBench(JSON.parse(address), folder);
await startWorker(hearth.worker);
process.send?.('ready');
process.on('disconnect', () => process.exit());
