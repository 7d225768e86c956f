import type { Db } from '#database/connect.ts';
import { QuantizedVectors } from './quantized-vectors.ts';
import { type EmbedderId, listCodes } from './store.ts';

/** The quantized vectors of all issues in the memory of this process. */
export type Candidates = {
  /** Reads rows that were written since the last refresh; the first time, all rows. */
  refresh(): Promise<void>;
  /** The vectors; undefined until the first one is stored. */
  codes(): QuantizedVectors | undefined;
};

const rowsPerBatch = 50_000;

/** Keeps the vectors in memory in sync with the table, which other processes write too. */
export function openCandidates(db: Db, findEmbedderId: () => Promise<EmbedderId>): Candidates {
  let codes: QuantizedVectors | undefined;
  let version = 0;
  let refreshing: Promise<void> | undefined;
  const readNew = async (): Promise<void> => {
    for (;;) {
      const rows = await listCodes(db, await findEmbedderId(), version, rowsPerBatch);
      const [first] = rows;
      if (first) codes ??= new QuantizedVectors(first.code.length);
      codes?.put(rows);
      version = rows.at(-1)?.version ?? version;
      if (rows.length < rowsPerBatch) return;
    }
  };
  return {
    async refresh() {
      // A refresh in progress may miss rows that were written after it began. So it is awaited, and another one starts.
      await refreshing?.catch(() => undefined);
      refreshing ??= readNew().finally(() => {
        refreshing = undefined;
      });
      await refreshing;
    },
    codes: () => codes,
  };
}
