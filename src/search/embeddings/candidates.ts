import type { Db } from '#database/connect.ts';
import { QuantizedVectors } from './quantized-vectors.ts';
import { type EmbedderId, listCodes } from './store.ts';

/** The codes of all issues as this process knows them. */
export type Candidates = {
  /** Reads what was written since the last time; the first time, everything. */
  refresh(): Promise<void>;
  /** The codes, once something was embedded. */
  codes(): QuantizedVectors | undefined;
};

const rowsPerBatch = 50_000;

/** Keeps codes in memory and in step with the table, whoever writes it. */
export function openCandidates(db: Db, embedder: () => Promise<EmbedderId>): Candidates {
  let codes: QuantizedVectors | undefined;
  let version = 0;
  let refreshing: Promise<void> | undefined;
  const readNew = async (): Promise<void> => {
    for (;;) {
      const rows = await listCodes(db, await embedder(), version, rowsPerBatch);
      const [first] = rows;
      if (first) codes ??= new QuantizedVectors(first.code.length);
      codes?.put(rows);
      version = rows.at(-1)?.version ?? version;
      if (rows.length < rowsPerBatch) return;
    }
  };
  return {
    async refresh() {
      // What was written while another refresh was reading isn't surely in it, so it is waited for and then asked again.
      await refreshing?.catch(() => undefined);
      refreshing ??= readNew().finally(() => {
        refreshing = undefined;
      });
      await refreshing;
    },
    codes: () => codes,
  };
}
