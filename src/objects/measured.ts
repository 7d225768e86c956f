import { Histogram } from 'prom-client';
import type { ObjectStore } from './store.ts';

/** An object store, and the duration and errors of its operations. */
type MeasuredStore = { store: ObjectStore; metric: Histogram };

/** Measures the store operations that requests and jobs wait for. */
export function measured(store: ObjectStore): MeasuredStore {
  const metric = new Histogram({
    name: 'hearth_objects_operation_seconds',
    help: 'Time of operations of the store of files, a bucket or a folder: put with its upload, open up to the first byte',
    labelNames: ['operation', 'outcome'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 120],
    registers: [],
  });
  const measure = async <T>(operation: string, work: () => Promise<T>): Promise<T> => {
    const end = metric.startTimer({ operation });
    try {
      const result = await work();
      end({ outcome: 'ok' });
      return result;
    } catch (error) {
      end({ outcome: 'error' });
      throw error;
    }
  };
  return {
    metric,
    store: {
      check: store.check,
      list: store.list,
      put: (key, send) => measure('put', () => store.put(key, send)),
      open: (key, range) => measure('open', () => store.open(key, range)),
      remove: (key) => measure('remove', () => store.remove(key)),
      removeGroup: (group) => measure('remove', () => store.removeGroup(group)),
    },
  };
}
