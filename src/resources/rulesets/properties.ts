import { type RawBuilder, sql } from 'kysely';

/** The custom properties of a repository as a JSON object: the values of each by its name. */
export const propertiesOf = (_repository: RawBuilder<unknown>): RawBuilder<unknown> => sql`'{}'::jsonb`;
