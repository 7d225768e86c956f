import { type Static, type TObject, type TOptional, type TProperties, type TSchema, type TString, Type } from 'typebox';

/** Document 1: `YYYY-MM-DDTHH:MM:SSZ`. */
export const Timestamp = Type.String({ format: 'date-time', pattern: 'Z$' });

export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** One of a closed set of words. */
export const OneOf = <const Words extends readonly string[]>(words: Words, options = {}) =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options });

/** A field that requests may omit. The validator sets the default, so handlers always have a value. */
export const withDefault = <S extends TSchema>(schema: S, value: Static<S>): S => ({ ...schema, default: value }) as S;

/**
 * A parameter that the API's description marks as required. The validator accepts requests without it and sets it to an empty
 * text, so that the rules can refuse it with their own message.
 */
export const Demanded = (schema: TString): TString => ({ ...schema, default: '', 'x-demanded': true }) as TString;

/**
 * A field of the public API whose effect Hearth doesn't have. Requests with it are refused, so that nobody relies on the effect.
 * `harmless` are the values that request no effect.
 */
export const Refused = (...harmless: readonly (null | boolean | string)[]) =>
  Type.Optional(Type.Unsafe<undefined>({ ...(harmless.length > 0 ? { enum: harmless } : { not: {} }), 'x-refused': true }));

/** A body whose fields are all optional. */
export const Patch = <P extends TProperties>(schema: TObject<P>, options = {}) =>
  Type.Object(
    Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => {
        const { default: _default, ...rest } = property as TSchema & { default?: unknown };
        return [name, Type.Optional(rest as TSchema)];
      }),
    ) as { [K in keyof P]: TOptional<P[K]> },
    options,
  );

/** A number that a PostgreSQL column of type integer can hold. */
export const Integer32 = (options = {}) => Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647, ...options });

/** The schema of a reply without a body (204, 205, 304). */
export const Nothing = Type.Void();

/** Properties with these names and the same schema, such as the many URLs of an account or a repository. */
export const each = <const Names extends readonly string[], S extends TSchema>(
  names: Names,
  schema: S,
): { [Name in Names[number]]: S } => Object.fromEntries(names.map((name) => [name, schema])) as { [Name in Names[number]]: S };
