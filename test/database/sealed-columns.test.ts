import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { keptFiles } from '#backup/kept-files.ts';
import { sealedColumns } from '#database/sealed-columns.ts';
import { testDatabase } from '#test/support/database.ts';

/** Columns of bytes that hold something else than sealed values: hashes, digests, names of objects, public keys and indexes. */
const plain = [
  /\.(\w+_)?hash$/,
  /\.(\w+_)?digest$/,
  /\.(\w+_)?oid$/,
  /\.public_key$/,
  /^(code_pairs|issue_documents)\.pairs$/,
  /^issue_vectors\.(code|components)$/,
];

async function columns(condition: ReturnType<typeof sql>): Promise<string[]> {
  const { db, close } = await testDatabase();
  onTestFinished(close);
  const { rows } = await sql<{ name: string }>`select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and ${condition} order by name`.execute(db);
  return rows.map(({ name }) => name);
}

test('every column of bytes is known as sealed or as plain, so that a start compares each sealed one with the key', async () => {
  const bytes = await columns(sql`data_type = 'bytea'`);
  const sealed = sealedColumns.map(({ table, column }) => `${table}.${column}`);
  expect(bytes.filter((name) => !plain.some((pattern) => pattern.test(name)))).toEqual([...sealed].sort());
});

/** Files that can be made again, or are parts of an upload that is under way. */
const notKept = ['caches', 'job_upload_blocks', 'job_uploads'];

test('every table that names stored files is in backups, or known to be left out', async () => {
  const tables = (await columns(sql`column_name in ('object_key', 'log_key')`)).map((name) => name.replace(/\..*/, ''));
  expect(tables.filter((name) => !new RegExp(`from ${name}\\b`).test(keptFiles))).toEqual(notKept);
});
