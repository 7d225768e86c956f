import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, type RawBuilder, sql } from 'kysely';

/** It only compiles. */
const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * A part of statements that never changes, compiled once. Otherwise each statement that contains it would compile it again.
 * @throws Error for a part with parameters
 */
export function constantSql<Type>(part: RawBuilder<Type>): RawBuilder<Type> {
  const { sql: text, parameters } = part.compile(compiler);
  if (parameters.length > 0) throw new Error(`Constant SQL has parameters: ${text}`);
  return sql.raw<Type>(text);
}
